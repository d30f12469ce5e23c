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
    case enter(RulePlace)
    case exit(RulePlace)
    case near(FlareID)
    case far(FlareID)
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
        case .enter(let place): "enter \(place.why(name))"
        case .exit(let place): "exit \(place.why(name))"
        case .near(let thing): "near \(name(.thing, thing))"
        case .far(let thing): "far \(name(.thing, thing))"
        case .level(let level): "level \(level.stateName)"
        case .call(let call): "call \(call.rawValue)"
        case .device(let thing, let event): "device \(name(.thing, thing)) \(event.rawValue)"
        case .request: "run"
        }
    }

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

    /// The thing that it is about.
    package var thing: FlareID? {
        switch self {
        case .state(let thing, _, _, _), .near(let thing), .far(let thing), .device(let thing, _): thing
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
