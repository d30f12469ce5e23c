package import Controller
package import JSON
import Things

extension ControllerState {
    /// `B/lifecycle`: state, level, audio, context, and what has led to them.
    package var lifecycleJSON: JSONValue {
        let lifecycle = lifecycle
        var members: JSONObject = [
            "state": .string(lifecycle.level.rawValue), "level": .string(lifecycle.level.hmiLevel),
            "audio": .string(lifecycle.audio.rawValue), "gain": .number(lifecycle.gain.rounded(to: 100)),
            "context": .string(lifecycle.context.rawValue),
            "displays": JSONValue(lifecycle.displays.count),
            "visible": JSONValue(lifecycle.displays.values.count { $0 == .visible }),
        ]
        members["since"] = lifecycle.since.map { .string($0.timestamp) }
        members["forced"] = lifecycle.forcedLevel.map { .string($0.hmiLevel) }
        if lifecycle.settings.ceiling != .active {
            members["ceiling"] = .string(lifecycle.settings.ceiling.hmiLevel)
        }
        if let language = lifecycle.language { members.merge(language.members) { $1 } }
        let suspended = SensorKind.allCases.filter { sensors[$0] == true && suspendedSensors.contains($0) }
        if !suspended.isEmpty { members["suspended"] = .array(suspended.map { .string($0.rawValue) }) }
        return .object(members)
    }

    /// The lifecycle in the feed.
    var lifecycleFeedJSON: JSONValue {
        let lifecycle = lifecycle
        var members: JSONObject = [
            "state": .string(lifecycle.level.rawValue), "level": .string(lifecycle.level.hmiLevel),
            "audio": .string(lifecycle.audio.rawValue), "context": .string(lifecycle.context.rawValue),
        ]
        members["language"] = lifecycle.language.map { .string($0.tag) }
        return .object(members)
    }

    /// How sound is to be played: `{"state","gain"}`.
    var audioJSON: JSONValue {
        ["state": .string(lifecycle.audio.rawValue), "gain": .number(lifecycle.gain.rounded(to: 100))]
    }
}

extension Lifecycle.DisplayPresence {
    /// `visible`, `hidden` or `gone`, plain or as a JSON string; nothing at all means `gone`.
    package init?(payload: [UInt8]) {
        guard payload.count <= 64, let text = String(validating: payload, as: UTF8.self) else { return nil }
        let word = text.trimmingSpace
        let isQuoted = word.count >= 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
        let name = (isQuoted ? String(word.dropFirst().dropLast()) : word).lowercased()
        guard let presence = name.isEmpty ? .gone : Self(rawValue: name) else { return nil }
        self = presence
    }
}
