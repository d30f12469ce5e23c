/// How far the application is in its life: the HMI level of SmartDeviceLink, with "not connected" below it.
/// - Source: contrib/contract/lifecycle.md, "States".
package enum LifecycleLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// No link to the Flare server.
    case disconnected
    /// Linked, but no environment or device is loaded, or the application was closed by command.
    case notRunning
    /// A place is loaded, and nobody is watching.
    case background
    /// A display is attached, but hidden, or nothing is near.
    case limited
    /// A display is visible and a thing is near.
    case active

    package static func < (left: Self, right: Self) -> Bool {
        allCases.prefix { $0 != right }.contains(left)
    }

    /// The name in the table of transitions: `Disconnected`, `NotRunning` and so on.
    package var stateName: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    /// The HMI level: `FULL`, `LIMITED`, `BACKGROUND`, `NONE`, and `DISCONNECTED` for no connection.
    package var hmiLevel: String {
        switch self {
        case .disconnected: "DISCONNECTED"
        case .notRunning: "NONE"
        case .background: "BACKGROUND"
        case .limited: "LIMITED"
        case .active: "FULL"
        }
    }

    /// The level with an HMI level, in any case of letters.
    package init?(hmiLevel: String) {
        guard let level = Self.allCases.first(where: { $0.hmiLevel == hmiLevel.uppercased() }) else {
            return nil
        }
        self = level
    }
}

/// What is heard of the application.
package enum LifecycleAudio: String, Sendable, Hashable, CaseIterable {
    case audible, attenuated, notAudible
}

/// What covers the application's display, if anything does.
package enum LifecycleContext: String, Sendable, Hashable, CaseIterable {
    case main, voice, menu, obscured, alert
}
