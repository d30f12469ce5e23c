import JSON
import Things

/// Our own form of a rule: `when`, `if`, `then`.
/// - Source: contrib/contract/rules.md, "A rule".
enum OwnForm {
    private static let known = [
        "title", "description", "enabled", "pause", "when", "if", "then",
        // What our own answers have besides.
        "id", "slug",
    ]

    /// - Returns: What could be read; what is wrong is in the refusals of the reading.
    static func parts(_ rule: RuleObject, _ reading: inout RuleReading) -> RuleParts {
        reading.warnings.addUnknown(in: rule, known: known)
        var parts = RuleParts()
        reading.part { _ throws(Refusal) in
            parts.title = try RuleParts.line("title", RuleLimits.title, in: rule)
        }
        reading.part { _ throws(Refusal) in
            parts.description = try RuleParts.line("description", RuleLimits.description, in: rule)
        }
        reading.part { _ throws(Refusal) in parts.isEnabled = try rule.flag("enabled") ?? true }
        reading.part { _ throws(Refusal) in
            parts.pause = try rule.optionalWhole("pause", RuleLimits.pause) ?? 0
        }
        readElements("when", RuleLimits.triggers, of: "triggers", in: rule, &reading) {
            (element, reading) throws(Refusal) in
            parts.triggers.append(try reading.trigger(element))
        }
        if rule.optional("if") != nil {
            readElements("if", RuleLimits.conditions, of: "conditions", in: rule, &reading) {
                (element, reading) throws(Refusal) in
                parts.conditions.append(try reading.condition(element))
            }
        }
        readElements("then", RuleLimits.actions, of: "actions", in: rule, &reading) {
            (element, reading) throws(Refusal) in
            try reading.addAction(element, to: &parts)
        }
        return parts
    }

    private static func readElements(
        _ name: String,
        _ count: ClosedRange<Int>,
        of what: String,
        in rule: RuleObject,
        _ reading: inout RuleReading,
        _ read: (_ element: RuleObject, inout RuleReading) throws(Refusal) -> Void
    ) {
        let list = reading.part { _ throws(Refusal) in
            _ = try rule.required(name, "a list of \(count.lowerBound) to \(count.upperBound) \(what)")
            return try rule.list(name, count, of: what) ?? []
        }
        for (index, value) in (list ?? []).enumerated() {
            reading.part { (reading) throws(Refusal) in
                try read(try RuleObject(value, at: "\(rule.path(of: name))[\(index)]"), &reading)
            }
        }
    }
}
