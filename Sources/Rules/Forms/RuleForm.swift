import JSON
import Text
import Things

/// How a rule is spelled.
///
/// The raw value is its name in lists.
/// - Source: contrib/contract/rules.md, "Four spellings".
package enum RuleForm: String, Sendable, Hashable, CaseIterable {
    /// Ours.
    case rule
    /// Of Kii's Thing-IF.
    case trigger
    /// Of Ayla's.
    case schedule
    /// Of AMAP's locations.
    case automation
    case propertyNotification = "property-notification"
    case deviceNotification = "device-notification"

    /// Members of which any shows that a rule has this form.
    private var marks: [String] {
        switch self {
        case .rule: ["when"]
        case .trigger: ["predicate"]
        case .schedule: ["startTimeEachDay", "timeBeforeEnd"]
        case .automation: ["triggerUUID"]
        case .propertyNotification: ["triggerType"]
        case .deviceNotification: ["notificationType"]
        }
    }

    /// What Ayla's service puts such a rule in.
    private var wrapper: String? {
        switch self {
        case .schedule: "schedule"
        case .propertyNotification: "trigger"
        case .deviceNotification: "notification"
        case .rule, .trigger, .automation: nil
        }
    }

    /// Which form a rule has, the first that fits, and its members.
    static func recognised(_ json: JSONValue) throws(Refusal) -> (form: RuleForm, members: RuleObject) {
        let object = try RuleObject(json, at: "")
        for form in allCases {
            if form.marks.contains(where: { object.optional($0) != nil }) { return (form, object) }
            guard let wrapper = form.wrapper, let inner = object.optional(wrapper)?.object else { continue }
            let wrapped = RuleObject(inner, at: object.path(of: wrapper))
            if form.marks.contains(where: { wrapped.optional($0) != nil }) { return (form, wrapped) }
        }
        let marks = allCases.flatMap(\.marks)
        throw Refusal(
            .invalidValue,
            "a rule must have when, or one of \(QuotedValue.list(marks.dropFirst())) of the other forms"
        )
    }
}
