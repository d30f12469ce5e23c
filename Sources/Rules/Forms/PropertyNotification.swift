import Bindings
import JSON
import Text
import Things

/// A notification of Ayla's because of a property.
/// - Source: contrib/contract/rules.md, "Four spellings"; AylaNetworks' SDKs, `AylaPropertyTrigger`.
enum PropertyNotification {
    private enum TriggerType: String, CaseIterable {
        case always
        case onChange = "on_change"
        case compare = "compare_absolute"
    }

    private enum CompareType: String, CaseIterable {
        case equal = "=="
        case more = ">"
        case less = "<"
        case atLeast = ">="
        case atMost = "<="
    }

    private static let known = [
        "triggerType", "compareType", "value", "baseType", "property", "propertyNickname", "thing",
        "deviceNickname",
        "active", "triggerApps", "name", "description", "missed",
        // Of the service itself.
        "key", "period", "retrievedAt", "triggeredAt",
    ]

    static func parts(_ rule: RuleObject, _ reading: inout RuleReading) -> RuleParts {
        reading.warnings.addUnknown(in: rule, known: known)
        var parts = reading.head(of: rule, title: ["name"], flag: "active")
        let named = reading.part { (reading) throws(Refusal) in
            try reading.thing(["thing", "deviceNickname"], in: rule)
        }
        let read = reading.part { _ throws(Refusal) in
            try RuleReading.field(["property", "propertyNickname"], in: rule)
        }
        let (thing, field) = (named ?? .thing(""), read ?? "")
        reading.part { _ throws(Refusal) in
            switch try rule.word("triggerType", as: TriggerType.self) {
            case .always: parts.triggers = [.state(StateTrigger(thing, .field(field), edge: .isTrue))]
            case .onChange: parts.triggers = [.state(StateTrigger(thing, .field(field), edge: .changes))]
            case .compare:
                let clause = try clause(of: field, rule)
                parts.triggers = [.state(StateTrigger(thing, .clause(clause), edge: .becomesTrue))]
            }
        }
        NotificationApps.add("triggerApps", wrapper: "triggerApp", in: rule, to: &parts, &reading)
        return parts
    }

    private static func clause(of field: String, _ rule: RuleObject) throws(Refusal) -> StateClause {
        let type = try rule.word("compareType", as: CompareType.self)
        let value = try AylaValue.value("value", in: rule)
        if type == .equal { return .equals(field, value) }
        guard let limit = value.number else {
            throw rule.invalid("value", value, "a number, as compareType is \(type.rawValue)")
        }
        return switch type {
        case .more: .range(field, .init(from: limit, including: false))
        case .atLeast: .range(field, .init(from: limit))
        case .less: .range(field, .init(including: true, to: limit, including: false))
        case .atMost: .range(field, .init(to: limit))
        case .equal: .equals(field, value)
        }
    }
}
