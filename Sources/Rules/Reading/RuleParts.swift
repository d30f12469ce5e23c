import JSON
import Text
import Things

/// What was read of a rule in any form, each with its path, before it is checked as a whole.
struct RuleParts {
    struct Action {
        let action: RuleAction
        /// Of the member that says when it is done; of the action itself if there is none.
        let path: String
        /// Whether it says when it is done.
        let isTimed: Bool
    }

    var title: String?
    var description: String?
    var isEnabled = true
    var pause: Int64 = 0
    var triggers: [RuleTrigger] = []
    var conditions: [RuleCondition] = []
    var actions: [Action] = []

    mutating func add(_ work: RuleAction.Work, at timing: RuleAction.Timing? = nil, _ path: String) {
        let action = RuleAction(work, at: timing ?? .start)
        actions.append(Action(action: action, path: path, isTimed: timing != nil))
    }

    /// Checks what concerns several parts.
    func rule() throws(Refusal) -> Rule {
        let schedules = triggers.compactMap(\.schedule)
        for action in actions where action.isTimed {
            let timing = action.action.timing.rawValue
            guard schedules.count == triggers.count else {
                let rest = "is \(timing), but only a rule that starts by schedules alone may have it"
                throw Refusal(.invalidValue, "\(action.path) \(rest)", field: action.path)
            }
            guard action.action.timing == .start || schedules.allSatisfy(\.hasEnd) else {
                let rest = "is \(timing), but a schedule has no end: add endTimeEachDay or duration"
                throw Refusal(.invalidValue, "\(action.path) \(rest)", field: action.path)
            }
        }
        var rule = Rule(
            title ?? "",
            description: description,
            isEnabled: isEnabled,
            pause: pause,
            when: triggers,
            if: conditions,
            then: actions.map(\.action)
        )
        if title == nil { rule.title = rule.titleOfParts }
        return rule
    }

    /// A title or a description, which is on one line.
    static func line(_ name: String, _ longest: Int, in object: RuleObject) throws(Refusal) -> String? {
        let legal = "1 to \(longest) characters on one line"
        // Some clients send an empty text for none.
        guard let text = try object.optionalText(name, legal), !text.isEmpty else { return nil }
        guard text.unicodeScalars.count <= longest, !text.isBlank,
            !text.unicodeScalars.contains(where: HarmfulCharacters.contain)
        else { throw object.invalid(name, .string(text), legal) }
        return text
    }
}
