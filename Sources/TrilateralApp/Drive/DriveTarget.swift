package import Controller
package import JSON
import Messages
import Text
import Things

/// What `set`, `action` and `get` are about, as it is written on the command line.
package enum DriveTarget: Sendable, Hashable {
    case nearby, device, environment
    /// For `get` only: the current zone, and what is known of the daemon.
    case zone, state, health, info, alerts, lifecycle
    /// Level, audio, context or language of the lifecycle.
    case lifecyclePart(String)
    case sensor(String)
    /// By slug or identifier.
    case thing(String)
    /// By slug or identifier; `get` takes their names, too.
    case namedZone(String), namedEnvironment(String)

    /// From a word of the command line; `nil` for what cannot stand in a topic.
    ///
    /// `nearby`, `device`, `environment`, `zone`, `state`, `health`, `info`, `alerts`, `lifecycle`, `lifecycle/<part>`,
    /// `sensors/<sensor>`, `things/<thing>`, `zones/<zone>`, `environments/<environment>`; any other word is a thing.
    package init?(_ text: String) {
        if let word = Self.words.first(where: { $0.key == text }) {
            self = word.value
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.last ?? "")
        let isLegal =
            name.utf8.count <= 128
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control && !"/+#".unicodeScalars.contains(scalar)
            }
        guard !name.isEmpty, isLegal else { return nil }
        switch (parts.count, parts.first) {
        case (1, _), (2, "things"): self = .thing(name)
        case (2, "sensors"): self = .sensor(name)
        case (2, "lifecycle"): self = .lifecyclePart(name)
        case (2, "zones"): self = .namedZone(name)
        case (2, "environments"): self = .namedEnvironment(name)
        default: return nil
        }
    }

    /// What a word means by itself.
    static let words: KeyValuePairs<String, DriveTarget> = [
        "nearby": .nearby, "device": .device, "environment": .environment, "zone": .zone, "state": .state,
        "health": .health, "info": .info, "alerts": .alerts, "lifecycle": .lifecycle,
    ]

    /// Where its state is retained, below `B/`; `nil` for what is asked for, or found among others.
    package var stateTopic: String? {
        let topics = Topics.tails
        return switch self {
        case .nearby: topics.nearby
        case .device: topics.device
        case .environment: topics.environment
        case .zone: topics.zone
        case .state: topics.state
        case .health: topics.health
        case .info: topics.info
        case .lifecycle, .lifecyclePart: topics.lifecycle
        case .sensor(let name): SensorKind(rawValue: name).map(topics.sensor)
        case .alerts, .thing, .namedZone, .namedEnvironment: nil
        }
    }

    /// The command that sets it; `nil` for what cannot be set.
    package var setCommand: CommandTopic? {
        switch self {
        case .nearby: CommandDescriptor.nearbySet.topic()
        case .device: CommandDescriptor.deviceSet.topic()
        case .environment: CommandDescriptor.environmentSet.topic()
        case .sensor(let name): CommandDescriptor.sensorSet.topic(name)
        case .thing(let name): CommandDescriptor.thingSet.topic(name)
        case .namedZone(let name): CommandDescriptor.zoneSet.topic(name)
        case .lifecyclePart(let name): CommandDescriptor.lifecycleSet.topic(name)
        case .zone, .state, .health, .info, .alerts, .lifecycle, .namedEnvironment: nil
        }
    }

    /// What `get` takes, for a person.
    package static let all = """
        nearby, environment, zone, device, state, health, alerts, info, lifecycle, sensors/<sensor>, zones/<zone>, \
        environments/<environment>, or a thing by its short name or id
        """

    /// What `set` takes, for a person.
    package static let settable =
        "nearby, a thing by its short name or id, zones/<zone>, device, environment, sensors/<sensor>, or lifecycle/<part>"

    /// The command for its actions; `nil` for what has none.
    package var actionCommand: CommandTopic? {
        switch self {
        case .nearby: CommandDescriptor.nearbyAction.topic()
        case .thing(let name): CommandDescriptor.thingAction.topic(name)
        case .device, .environment, .zone, .state, .health, .info, .alerts, .lifecycle, .lifecyclePart,
            .sensor,
            .namedZone, .namedEnvironment:
            nil
        }
    }

    /// The member that a value without a name sets.
    private var mainMember: String {
        switch self {
        case .environment: "environment"
        case .lifecyclePart(let name): name
        default: "state"
        }
    }

    /// The object that `set` sends, from `name=value` words and at most one bare value.
    ///
    /// A value is JSON where it is a number, true, false, null, an object, a list or a text in quotes, else a text.
    package func members(_ words: [String]) -> Result<JSONObject, UsageError> {
        var members: JSONObject = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.count == 2 ? String(parts[0]) : mainMember
            let text = String(parts.last ?? "")
            guard !name.isEmpty else {
                return .failure(UsageError("\(QuotedValue.of(word)): a name must stand before ="))
            }
            guard name != "tx" else { return .failure(UsageError("tx is chosen by this program")) }
            guard members[name] == nil else { return .failure(UsageError("\(name) is given twice")) }
            members[name] = (try? JSONValue(parsing: text)) ?? .string(text)
        }
        return .success(members)
    }
}

/// Why a command line makes no sense, as a sentence.
package struct UsageError: Error, Hashable {
    package let message: String

    init(_ message: String) { self.message = message }
}
