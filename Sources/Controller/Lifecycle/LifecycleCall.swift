/// A delegate call of the application lifecycle.
/// - Source: SmartDeviceLink evolution proposal SDL-0156; contrib/contract/lifecycle.md, "Transitions".
package enum LifecycleCall: String, Sendable, Hashable, CaseIterable {
    case applicationDidConnect
    case applicationDidDisconnect
    case applicationDidFinishLaunching
    case applicationDidClose
    case applicationDidEnterBackground
    case applicationDidBecomeLimited
    case applicationDidBecomeActive
    case applicationDidBecomeAudible
    case applicationDidBecomeAttenuated
    case applicationDidBecomeNotAudible
    case applicationDidEnterMainContext
    case applicationDidEnterVoiceRecognitionSession
    case applicationDidEnterMenu
    case applicationDidBecomeObscured
    case applicationDidDisplayAlert
    /// Asks for a language. Published when the language is supported and differs from the current one.
    case shouldUpdateLifecycleConfigurationToLanguage

    /// The notification of the same name: `SDLApplicationDid…`; a question has none.
    package var notification: String? {
        self == .shouldUpdateLifecycleConfigurationToLanguage ? nil : "SDLA" + rawValue.dropFirst()
    }

    /// The calls of a change of level, in order; none when nothing changes.
    package static func calls(from old: LifecycleLevel, to new: LifecycleLevel) -> [Self] {
        guard old != new else { return [] }
        var calls: [Self] = []
        if old == .disconnected { calls.append(.applicationDidConnect) }
        let isLaunch = old <= .notRunning && new > .notRunning
        if isLaunch { calls.append(.applicationDidFinishLaunching) }
        switch new {
        case .disconnected: calls.append(.applicationDidDisconnect)
        case .notRunning: if old > .notRunning { calls.append(.applicationDidClose) }
        case .background: calls.append(.applicationDidEnterBackground)
        case .limited: calls.append(.applicationDidBecomeLimited)
        case .active: calls.append(.applicationDidBecomeActive)
        }
        return calls
    }

    package init(_ audio: LifecycleAudio) {
        switch audio {
        case .audible: self = .applicationDidBecomeAudible
        case .attenuated: self = .applicationDidBecomeAttenuated
        case .notAudible: self = .applicationDidBecomeNotAudible
        }
    }

    package init(_ context: LifecycleContext) {
        switch context {
        case .main: self = .applicationDidEnterMainContext
        case .voice: self = .applicationDidEnterVoiceRecognitionSession
        case .menu: self = .applicationDidEnterMenu
        case .obscured: self = .applicationDidBecomeObscured
        case .alert: self = .applicationDidDisplayAlert
        }
    }
}

/// All transitions with their calls, as CSV.
package enum LifecycleTable {
    /// `from,to,calls`, a line each, the calls separated by `|`.
    package static var csv: String {
        let rows = LifecycleLevel.allCases.flatMap { old in
            LifecycleLevel.allCases.filter { $0 != old }.map { new in
                let calls = LifecycleCall.calls(from: old, to: new).map(\.rawValue).joined(separator: "|")
                return "\(old.stateName),\(new.stateName),\(calls)"
            }
        }
        return (["from,to,calls"] + rows).map { $0 + "\n" }.joined()
    }
}
