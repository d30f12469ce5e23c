import JSON
import Things

/// A schedule of Ayla's device service.
/// - Source: contrib/contract/rules.md, "Four spellings"; AylaNetworks' SDKs, `AylaSchedule`,
///   `AylaScheduleAction`.
enum AylaSchedule {
    private static let known =
        Schedule.memberNames + [
            "name", "displayName", "active", "scheduleActions", "thing", "deviceNickname", "description",
            "missed",
            // Of the service itself.
            "key", "direction", "fixedActions",
        ]

    /// - Returns: What could be read; what is wrong is in the refusals of the reading, as in all forms.
    static func parts(_ schedule: RuleObject, _ reading: inout RuleReading) -> RuleParts {
        reading.warnings.addUnknown(in: schedule, known: known)
        var parts = reading.head(of: schedule, title: ["displayName", "name"], flag: "active")
        reading.part { (reading) throws(Refusal) in
            let due = TimeTrigger.Due.schedule(try reading.schedule(in: schedule, skipsEmpty: true))
            let missed = try schedule.optionalWord("missed", as: TimeTrigger.Missed.self)
            parts.triggers = [.time(TimeTrigger(due, missed: missed))]
        }
        let thing = reading.part { (reading) throws(Refusal) in
            try reading.thing(["thing", "deviceNickname"], in: schedule)
        }
        let count = reading.refusals.count
        let list = reading.part { _ throws(Refusal) in
            try schedule.list("scheduleActions", RuleLimits.actions, of: "actions") ?? []
        }
        for (index, value) in (list ?? []).enumerated() {
            reading.part { (reading) throws(Refusal) in
                let path = "\(schedule.path(of: "scheduleActions"))[\(index)]"
                var action = try RuleObject(value, at: path)
                if let inner = try action.object("scheduleAction") { action = inner }
                try add(action, of: thing ?? .thing(""), to: &parts, &reading)
            }
        }
        guard reading.refusals.count == count else { return parts }
        reading.part { _ throws(Refusal) in
            guard !parts.actions.isEmpty else {
                throw schedule.refusal(
                    .invalidValue,
                    of: "scheduleActions",
                    "must have an action that is active; there is none"
                )
            }
            guard parts.actions.count <= RuleLimits.actions.upperBound else {
                let most = RuleLimits.actions.upperBound
                throw schedule.refusal(
                    .invalidValue,
                    of: "scheduleActions",
                    "must be at most \(most) actions, one for each of atStart, atEnd and inRange"
                )
            }
        }
        return parts
    }

    private static func add(
        _ action: RuleObject,
        of thing: RuleReference,
        to parts: inout RuleParts,
        _ reading: inout RuleReading
    ) throws(Refusal) {
        let timings = ["atStart", "atEnd", "inRange"]
        reading.warnings.addUnknown(
            in: action,
            known: ["name", "value", "baseType", "active", "type", "key"] + timings
        )
        guard try action.flag("active") ?? true else { return }
        let name = try RuleReading.field(["name"], in: action)
        let value = try AylaValue.value("value", in: action)
        let work = RuleAction.Work.drive(.set([name: value]), .thing(thing))
        let (start, end) = (try action.flag("atStart") ?? false, try action.flag("atEnd") ?? false)
        if try action.flag("inRange") ?? false {
            // In the range is at its start too, so that start says nothing more.
            parts.add(work, at: .range, action.path(of: "inRange"))
        } else if start || !end {
            parts.add(work, action.path)
        }
        if end { parts.add(work, at: .end, action.path(of: "atEnd")) }
    }
}
