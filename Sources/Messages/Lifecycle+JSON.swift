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
}

extension Lifecycle {
    /// Adds what the feed shows of it.
    func addSummary(to members: inout some JSONMembers & ~Copyable) {
        members.add("audio", audio.rawValue)
        members.add("context", context.rawValue)
        members.add("language", language?.tag)
        members.add("level", level.hmiLevel)
        members.add("state", level.rawValue)
    }

    /// Adds how sound is to be played: `gain` and `state`.
    func addAudio(to members: inout some JSONMembers & ~Copyable) {
        members.add("gain", gain.rounded(to: 100))
        members.add("state", audio.rawValue)
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
