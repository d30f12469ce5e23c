package import Controller
import Text

/// The topics of commands below `B/`: the only place where they are spelled out.
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
    /// What of the lifecycle: level, audio, context, language.
    case lifecycleSet(String)
    /// What a display shows, by its id; `all` for every one.
    case screenSet(display: String)
    case request(String)

    /// What to subscribe to, below `B/`.
    /// - Source: contrib/contract/mqtt.md, "Rule 10: subscribe narrowly".
    package static let filters = [
        Self.nearbySet, .nearbySetAttribute("+"), .nearbyAction, .thingSet("+"),
        .thingSetAttribute(thing: "+", attribute: "+"), .thingAction("+"), .thingGet("+"), .zoneSet("+"),
        .deviceSet, .environmentSet, .sensorSet("+"), .lifecycleSet("+"), .screenSet(display: "+"),
        .request("+"),
    ].map(\.tail)

    package static func request(_ verb: Command.Verb.Name) -> CommandTopic { .request(verb.rawValue) }

    /// The topic below `B/`.
    package var tail: String {
        switch self {
        case .nearbySet: "nearby/set"
        case .nearbySetAttribute(let attribute): "nearby/set/\(attribute)"
        case .nearbyAction: "nearby/action"
        case .thingSet(let thing): "things/\(thing)/set"
        case .thingSetAttribute(let thing, let attribute): "things/\(thing)/set/\(attribute)"
        case .thingAction(let thing): "things/\(thing)/action"
        case .thingGet(let thing): "things/\(thing)/get"
        case .zoneSet(let zone): "zones/\(zone)/set"
        case .deviceSet: "device/set"
        case .environmentSet: "environment/set"
        case .sensorSet(let sensor): "sensors/\(sensor)/set"
        case .lifecycleSet(let name): "lifecycle/\(name)/set"
        case .screenSet(let display): "display/\(display)/screen/set"
        case .request(let verb): "request/\(verb)"
        }
    }

    /// - Parameter levels: The levels of the topic below `B`; `nil` if it is no command topic.
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
        case (3, "lifecycle", let name, "set"): self = .lifecycleSet(name)
        case (4, "display", let display, "screen") where level(3) == "set":
            self = .screenSet(display: display)
        case (2, "request", let verb, _): self = .request(verb)
        default: return nil
        }
    }

    /// - Parameter tail: The topic below `B/`; `nil` if it is no command topic.
    package init?(tail: Substring) {
        self.init(levels: tail.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false))
    }

    /// Where the answer belongs.
    package var subject: Answer.Subject {
        switch self {
        case .thingGet: .get
        case .request(let verb): .verb(SecretMask.tokens.masked(verb))
        case .nearbySet, .nearbySetAttribute, .nearbyAction, .thingSet, .thingSetAttribute, .thingAction,
            .zoneSet, .deviceSet, .environmentSet, .sensorSet, .lifecycleSet, .screenSet:
            .set
        }
    }
}
