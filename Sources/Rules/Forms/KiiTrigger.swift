import Bindings
import JSON
import Things

/// A trigger of Kii's Thing-IF 0.13.
/// - Source: contrib/contract/rules.md, "Four spellings"; the public SDKs of KiiPlatform.
enum KiiTrigger {
    private enum Source: String, CaseIterable {
        case states = "STATES"
        case schedule = "SCHEDULE"
        case once = "SCHEDULE_ONCE"
    }

    private static let known = [
        "predicate", "command", "triggersWhat", "title", "description", "metadata", "disabled", "thing",
        "deviceNickname", "triggerID", "disabledReason",
    ]

    static func parts(_ rule: RuleObject, _ reading: inout RuleReading) -> RuleParts {
        reading.warnings.addUnknown(in: rule, known: known)
        reading.part { _ throws(Refusal) in
            guard let what = rule.optional("triggersWhat"), what.string != "COMMAND" else { return }
            throw rule.invalid(
                "triggersWhat",
                what,
                "COMMAND: there is no server code here; a rule can publish"
            )
        }
        let objects = reading.part { _ throws(Refusal) -> (command: RuleObject, predicate: RuleObject) in
            guard let command = try rule.object("command"), let predicate = try rule.object("predicate")
            else {
                let name = rule.optional("predicate") == nil ? "predicate" : "command"
                throw rule.refusal(.invalidValue, of: name, "is missing; it must be an object")
            }
            return (command, predicate)
        }
        var parts = reading.head(of: rule, title: ["title"], flag: "disabled", isOff: true)
        guard let (command, predicate) = objects else { return parts }
        if parts.title == nil {
            reading.part { (reading) throws(Refusal) in
                parts.title = try reading.title(["title"], in: command)
            }
        }
        let target = reading.part { (reading) throws(Refusal) in
            try Self.target(of: command, of: rule, reading)
        }
        let own = reading.part { (reading) throws(Refusal) in try Self.thing(of: rule, reading) }
        let thing = (own ?? nil) ?? target ?? .thing("")
        reading.part { (reading) throws(Refusal) in
            parts.triggers = [try trigger(predicate, of: thing, &reading)]
        }
        reading.warnings.addUnknown(in: command, known: RuleReading.commandMembers + ["target"])
        reading.part { _ throws(Refusal) in
            let work = try RuleReading.command(command)
            parts.add(.drive(.command(work), .thing(target ?? thing)), command.path)
        }
        return parts
    }

    /// The thing that takes the command: the one it names, else the one whose trigger it is.
    private static func target(
        of command: RuleObject,
        of rule: RuleObject,
        _ reading: RuleReading
    ) throws(Refusal) -> RuleReference {
        guard command.optional("target") != nil else {
            return try reading.thing(["thing", "deviceNickname"], in: rule)
        }
        let legal = "thing: with a thing"
        let text = try command.text("target", legal)
        guard case .thing(let thing) = RuleReading.target(text) else {
            throw command.invalid("target", .string(text), legal)
        }
        return thing
    }

    /// The thing whose trigger it is, if anything says so.
    private static func thing(of rule: RuleObject, _ reading: RuleReading) throws(Refusal) -> RuleReference? {
        let isNamed = ["thing", "deviceNickname"].contains { rule.optional($0) != nil }
        return isNamed || reading.thing != nil
            ? try reading.thing(["thing", "deviceNickname"], in: rule) : nil
    }

    private static func trigger(
        _ predicate: RuleObject,
        of thing: RuleReference,
        _ reading: inout RuleReading
    ) throws(Refusal) -> RuleTrigger {
        // The first SDKs wrote it in lower case.
        let words = Source.allCases.map(\.rawValue).joined(separator: ", ")
        let word = try predicate.text("eventSource", "one of \(words)")
        guard let source = Source(rawValue: word) ?? Source(rawValue: word.uppercased()) else {
            throw predicate.invalid("eventSource", .string(word), "one of \(words)")
        }
        switch source {
        case .states:
            reading.warnings.addUnknown(in: predicate, known: ["eventSource", "condition", "triggersWhen"])
            let clause = try RuleReading.clause("condition", in: predicate)
            let edge = try predicate.optionalWord("triggersWhen", as: StateTrigger.Edge.self)
            return .state(StateTrigger(thing, .clause(clause), edge: edge))
        case .schedule:
            reading.warnings.addUnknown(in: predicate, known: ["eventSource", "schedule"])
            let text = try predicate.text("schedule", "five fields of cron, such as 0 7 * * 1-5")
            return .time(TimeTrigger(.cron(try CronExpression(text, at: predicate.path(of: "schedule")))))
        case .once:
            reading.warnings.addUnknown(in: predicate, known: ["eventSource", "scheduleAt"])
            return .time(TimeTrigger(.once(try RuleReading.time("scheduleAt", in: predicate))))
        }
    }
}
