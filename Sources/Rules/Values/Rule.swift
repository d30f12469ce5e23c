import Text
package import Things

/// When … then …: what starts it, what must hold, and what it does.
///
/// A value that was read is legal: see ``RuleReader``.
/// - Source: contrib/contract/rules.md, "A rule".
package struct Rule: Sendable, Hashable {
    /// 1 to 50 characters.
    package var title: String
    package var description: String?
    package var isEnabled: Bool
    /// Seconds without another firing.
    package var pause: Int64
    /// Any of them starts it.
    package var triggers: [RuleTrigger]
    /// All of them must hold.
    package var conditions: [RuleCondition]
    /// Done in this order.
    package var actions: [RuleAction]

    package init(
        _ title: String,
        description: String? = nil,
        isEnabled: Bool = true,
        pause: Int64 = 0,
        when triggers: [RuleTrigger],
        if conditions: [RuleCondition] = [],
        then actions: [RuleAction]
    ) {
        (self.title, self.description, self.isEnabled, self.pause) = (title, description, isEnabled, pause)
        (self.triggers, self.conditions, self.actions) = (triggers, conditions, actions)
    }

    /// Whether it is started by schedules alone.
    package var isScheduled: Bool { triggers.allSatisfy { $0.schedule != nil } }
}

extension Rule {
    /// Checks what is so only when a rule is made: what happens once is to come.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func checkFuture(at now: Int64) throws(Refusal) {
        for (index, trigger) in triggers.enumerated() {
            guard case .time(let trigger) = trigger, case .once(let time) = trigger.due, time <= now else {
                continue
            }
            let path = "when[\(index)].at"
            let text = CivilTime(milliseconds: time).shortText
            throw Refusal(.invalidValue, "\(path) must be in the future, is \(text)", field: path)
        }
    }
}
