package import Controller

/// The topics on which commands come, without the base `B/`.
package enum CommandTopic: Sendable, Hashable {
    case nearbySet
    case nearbySetAttribute(String)
    case nearbyAction
    /// By slug or identifier, as it was sent; so in all that follow.
    case thingSet(String)
    case thingSetAttribute(thing: String, attribute: String)
    case thingAction(String)
    case thingGet(String)
    /// All lights of a zone.
    case zoneSet(String)
    case deviceSet
    case environmentSet
    case sensorSet(String)
    case request(String)

    /// What to subscribe to, below `B/`.
    /// - Source: the MQTT contract, rule 10.
    package static let filters = [
        "nearby/set", "nearby/set/+", "nearby/action", "things/+/set", "things/+/set/+", "things/+/action",
        "things/+/get", "zones/+/set", "device/set", "environment/set", "sensors/+/set", "request/+",
    ]

    /// - Parameter levels: The levels of the topic below `B`; `nil` for what is no command.
    package init?(levels: [Substring]) {
        func level(_ index: Int) -> String { levels.indices.contains(index) ? String(levels[index]) : "" }
        switch (levels.count, level(0), level(1), level(2)) {
        case (2, "nearby", "set", _): self = .nearbySet
        case (3, "nearby", "set", let attribute): self = .nearbySetAttribute(attribute)
        case (2, "nearby", "action", _): self = .nearbyAction
        case (3, "things", let thing, "set"): self = .thingSet(thing)
        case (3, "things", let thing, "action"): self = .thingAction(thing)
        case (3, "things", let thing, "get"): self = .thingGet(thing)
        case (4, "things", let thing, "set"): self = .thingSetAttribute(thing: thing, attribute: level(3))
        case (3, "zones", let zone, "set"): self = .zoneSet(zone)
        case (2, "device", "set", _): self = .deviceSet
        case (2, "environment", "set", _): self = .environmentSet
        case (3, "sensors", let sensor, "set"): self = .sensorSet(sensor)
        case (2, "request", let verb, _): self = .request(verb)
        default: return nil
        }
    }

    /// - Parameter tail: The topic below `B/`; `nil` for what is no command.
    package init?(tail: Substring) {
        self.init(levels: tail.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false))
    }

    /// Whether a command needs a payload here: an empty one only clears a retained message.
    package var needsPayload: Bool {
        switch self {
        case .thingGet, .request: false
        case .nearbySet, .nearbySetAttribute, .nearbyAction, .thingSet, .thingSetAttribute, .thingAction,
            .zoneSet, .deviceSet, .environmentSet, .sensorSet:
            true
        }
    }

    /// Where the answer belongs.
    package var subject: Answer.Subject {
        switch self {
        case .thingGet: .get
        case .request(let verb): .verb(verb)
        case .nearbySet, .nearbySetAttribute, .nearbyAction, .thingSet, .thingSetAttribute, .thingAction,
            .zoneSet, .deviceSet, .environmentSet, .sensorSet:
            .set
        }
    }
}
