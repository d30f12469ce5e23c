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

    static func parts(_ rule: RuleObject, _ reading: inout RuleReading) throws(Refusal) -> RuleParts {
        reading.warnings.addUnknown(in: rule, known: known)
        var parts = RuleParts()
        parts.title = try RuleParts.line("title", RuleLimits.title, in: rule)
        parts.description = try RuleParts.line("description", RuleLimits.description, in: rule)
        parts.isEnabled = try rule.flag("enabled") ?? true
        parts.pause = try rule.optionalWhole("pause", RuleLimits.pause) ?? 0
        for element in try elements("when", RuleLimits.triggers, of: "triggers", in: rule) {
            parts.triggers.append(try reading.trigger(element))
        }
        if rule.optional("if") != nil {
            for element in try elements("if", RuleLimits.conditions, of: "conditions", in: rule) {
                parts.conditions.append(try reading.condition(element))
            }
        }
        for element in try elements("then", RuleLimits.actions, of: "actions", in: rule) {
            try reading.addAction(element, to: &parts)
        }
        return parts
    }

    private static func elements(
        _ name: String,
        _ count: ClosedRange<Int>,
        of what: String,
        in rule: RuleObject
    ) throws(Refusal) -> [RuleObject] {
        _ = try rule.required(name, "a list of \(count.lowerBound) to \(count.upperBound) \(what)")
        var elements: [RuleObject] = []
        for (index, value) in (try rule.list(name, count, of: what) ?? []).enumerated() {
            elements.append(try RuleObject(value, at: "\(rule.path(of: name))[\(index)]"))
        }
        return elements
    }
}
