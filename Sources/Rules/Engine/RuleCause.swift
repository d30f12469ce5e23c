package import Flare
package import JSON
package import Controller
import Text

/// What made a rule fire.
package enum RuleCause: Sendable, Hashable {
    /// A run of a schedule, at its start, its end, or within its range.
    case schedule(RuleAction.Timing)
    case cron
    case once
    /// A write, and the first of its fields that the rule looks at; `nil` for a field that is missing.
    indirect case state(FlareID, field: String, before: JSONValue?, after: JSONValue?)
    /// The node is that of a further device; `nil` for the daemon's own.
    case enter(RulePlace, by: String? = nil)
    case exit(RulePlace, by: String? = nil)
    case near(FlareID, by: String? = nil)
    case far(FlareID, by: String? = nil)
    case level(LifecycleLevel)
    case call(LifecycleCall)
    case device(FlareID, DeviceTrigger.Event)
    /// A caller asked for it.
    case request

    /// The text of `why`: `state radiator room_temp 29 -> 30`.
    ///
    /// - Parameter name: Has the slug of a thing or a zone.
    /// - Source: contrib/contract/rules.md, "Simulation".
    package func why(_ name: (_ kind: FlareClass, _ id: FlareID) -> String) -> String {
        switch self {
        case .schedule(let timing): timing.rawValue
        case .cron: "cron"
        case .once: "once"
        case .state(let thing, let field, let before, let after):
            "state \(name(.thing, thing)) \(field) \(Self.short(before)) -> \(Self.short(after))"
        case .enter(let place, let node): "enter \(place.why(name))\(Self.suffix(node))"
        case .exit(let place, let node): "exit \(place.why(name))\(Self.suffix(node))"
        case .near(let thing, let node): "near \(name(.thing, thing))\(Self.suffix(node))"
        case .far(let thing, let node): "far \(name(.thing, thing))\(Self.suffix(node))"
        case .level(let level): "level \(level.stateName)"
        case .call(let call): "call \(call.rawValue)"
        case .device(let thing, let event): "device \(name(.thing, thing)) \(event.rawValue)"
        case .request: "run"
        }
    }

    private static func suffix(_ node: String?) -> String { node.map { " \($0)" } ?? "" }

    /// The most characters of a value.
    private static let longestValue = 200

    /// A value as JSON; of a long one its beginning, as it is stored and published with each firing.
    private static func short(_ value: JSONValue?) -> String {
        let text = value?.text ?? "null"
        let start = QuotedValue.clipped(text, to: longestValue)
        return start.utf8.count == text.utf8.count ? text : "\(start)…"
    }

    /// Whether it says something that not everybody may know.
    var tells: Bool {
        switch self {
        case .state, .enter, .exit, .near, .far, .level, .call, .device: true
        case .schedule, .cron, .once, .request: false
        }
    }

    /// The device that has come or gone; `nil` if none has.
    package var device: RuleDevice? {
        switch self {
        case .enter(_, let node), .exit(_, let node), .near(_, let node), .far(_, let node):
            node.map { .node($0) } ?? .own
        case .schedule, .cron, .once, .state, .level, .call, .device, .request: nil
        }
    }

    /// The thing that it is about.
    package var thing: FlareID? {
        switch self {
        case .state(let thing, _, _, _), .near(let thing, _), .far(let thing, _), .device(let thing, _): thing
        case .schedule, .cron, .once, .enter, .exit, .level, .call, .request: nil
        }
    }
}

extension RulePlace {
    fileprivate func why(_ name: (_ kind: FlareClass, _ id: FlareID) -> String) -> String {
        switch self {
        case .circle: "geofence"
        case .beacon: "beacon"
        case .zone(let zone): "zone:\(zone.id.map { name(.zone, $0) } ?? zone.text)"
        }
    }
}
