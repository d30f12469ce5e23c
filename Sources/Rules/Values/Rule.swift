import Text
package import Things

/// When … then …: what starts it, what must hold, and what it does.
///
/// A value that was read is legal: see ``RuleReader``.
/// - Source: contrib/contract/rules.md, "A rule".
package struct Rule: Sendable, Hashable {
    /// The service of rules, the node's loop and the engine have each rule in a table, with room for twice as many.
    @Boxed private var parts: Parts

    private struct Parts: Sendable, Hashable {
        var title: String
        var description: String?
        var isEnabled: Bool
        var pause: Int64
        var triggers: [RuleTrigger]
        var conditions: [RuleCondition]
        var actions: [RuleAction]
    }

    /// 1 to 50 characters.
    package var title: String {
        get { parts.title }
        set { parts.title = newValue }
    }
    package var description: String? {
        get { parts.description }
        set { parts.description = newValue }
    }
    package var isEnabled: Bool {
        get { parts.isEnabled }
        set { parts.isEnabled = newValue }
    }
    /// Seconds without another firing.
    package var pause: Int64 {
        get { parts.pause }
        set { parts.pause = newValue }
    }
    /// Any of them starts it.
    package var triggers: [RuleTrigger] {
        get { parts.triggers }
        set { parts.triggers = newValue }
    }
    /// All of them must hold.
    package var conditions: [RuleCondition] {
        get { parts.conditions }
        set { parts.conditions = newValue }
    }
    /// Done in this order.
    package var actions: [RuleAction] {
        get { parts.actions }
        set { parts.actions = newValue }
    }

    package init(
        _ title: String,
        description: String? = nil,
        isEnabled: Bool = true,
        pause: Int64 = 0,
        when triggers: [RuleTrigger],
        if conditions: [RuleCondition] = [],
        then actions: [RuleAction]
    ) {
        _parts = Boxed(
            Parts(
                title: title,
                description: description,
                isEnabled: isEnabled,
                pause: pause,
                triggers: triggers,
                conditions: conditions,
                actions: actions
            )
        )
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
