import Bindings
import Controller
import JSON
import Things

extension RuleReading {
    private enum TriggerKind: String, CaseIterable {
        case state, schedule, cron, once, enter, exit, near, far, lifecycle, device

        var members: [String] {
            switch self {
            case .state: ["thing", "clause", "field", "edge", "for", "margin"]
            case .schedule: Schedule.memberNames + ["missed"]
            case .cron: ["cron", "missed", "timeZone", "utc"]
            case .once: ["at", "missed", "timeZone", "utc"]
            case .enter, .exit: ["geofence", "beacon", "zone", "rssi", "gone", "device"]
            case .near, .far: ["thing", "device"]
            case .lifecycle: ["call", "level"]
            case .device: ["thing", "event", "threshold"]
            }
        }
    }

    /// One element of `when`.
    mutating func trigger(_ object: RuleObject) throws(Refusal) -> RuleTrigger {
        let kind = try object.word("on", as: TriggerKind.self)
        warnings.addUnknown(in: object, known: ["on"] + kind.members)
        switch kind {
        case .state: return .state(try stateTrigger(object))
        case .schedule:
            let due = TimeTrigger.Due.schedule(try schedule(in: object))
            return .time(try Self.timeTrigger(due, in: object))
        case .cron:
            let text = try object.text("cron", "five fields of cron, such as 0 7 * * 1-5")
            let cron = try CronExpression(text, at: object.path(of: "cron"))
            return .time(try Self.timeTrigger(.cron(cron), in: object))
        case .once:
            return .time(try Self.timeTrigger(.once(try Self.time("at", in: object)), in: object))
        case .enter:
            let place = try place(in: object)
            return .enter(place, by: try Self.device(in: object, .first, of: place))
        case .exit:
            let place = try place(in: object)
            return .exit(place, by: try Self.device(in: object, .last, of: place))
        case .near: return .near(try thing(in: object), by: try Self.device(in: object, .first))
        case .far: return .far(try thing(in: object), by: try Self.device(in: object, .last))
        case .lifecycle: return try Self.lifecycle(in: object)
        case .device:
            return .device(
                DeviceTrigger(
                    try thing(in: object),
                    try object.word("event", as: DeviceTrigger.Event.self),
                    threshold: try object.optionalWhole("threshold", RuleLimits.threshold)
                )
            )
        }
    }

    private func stateTrigger(_ object: RuleObject) throws(Refusal) -> StateTrigger {
        let subject = try Self.subject(in: object)
        let edge = try object.optionalWord("edge", as: StateTrigger.Edge.self)
        let hold = try object.optionalWhole("for", RuleLimits.hold) ?? 0
        let margin = try object.number("margin", 0...Double.greatestFiniteMagnitude) ?? 0
        switch subject {
        case .field:
            if edge == .becomesTrue {
                let words =
                    "CONDITION_TRUE (each write) or CONDITION_CHANGED, as a field is not true or false"
                throw object.invalid("edge", .string(StateTrigger.Edge.becomesTrue.rawValue), words)
            }
            for name in ["for", "margin"] where object.optional(name) != nil {
                throw object.refusal(
                    .invalidValue,
                    of: name,
                    "needs a clause: a write of a field has no duration"
                )
            }
        case .clause(let clause):
            guard margin == 0 || clause.hasRange else {
                throw object.refusal(.invalidValue, of: "margin", "needs a clause of the type range")
            }
        }
        return StateTrigger(try thing(in: object), subject, edge: edge, hold: hold, margin: margin)
    }

    private static func subject(in object: RuleObject) throws(Refusal) -> StateTrigger.Subject {
        switch (object.optional("clause"), object.optional("field")) {
        case (.some, nil): return .clause(try clause("clause", in: object))
        case (nil, .some): return .field(try field(["field"], in: object))
        case (let clause, _):
            let count = clause == nil ? "has none" : "has both"
            throw object.refusal(.invalidValue, of: "clause", "or field must be there, \(count)")
        }
    }

    private static func timeTrigger(
        _ due: TimeTrigger.Due,
        in object: RuleObject
    ) throws(Refusal) -> TimeTrigger {
        var timeZone: String?
        switch due {
        case .schedule: timeZone = nil
        case .cron, .once:
            timeZone = try Self.timeZone(in: object)
            if try object.flag("utc") == true { timeZone = "UTC" }
        }
        return TimeTrigger(
            due,
            missed: try object.optionalWord("missed", as: TimeTrigger.Missed.self),
            timeZone: timeZone
        )
    }

    private static func lifecycle(in object: RuleObject) throws(Refusal) -> RuleTrigger {
        switch (object.optional("call"), object.optional("level")) {
        case (.some, nil): return .call(try object.word("call", as: LifecycleCall.self))
        case (nil, .some(let level)): return .level(try Self.level(level, at: object.path(of: "level")))
        case (let call, _):
            let count = call == nil ? "has none" : "has both"
            throw object.refusal(.invalidValue, of: "call", "or level must be there, \(count)")
        }
    }
}
