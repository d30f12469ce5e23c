/// What the engine wants done.
package enum RuleOutput: Sendable, Hashable {
    /// The rule's actions are to run. The caller stores the firing with ``RuleEngine/memory(of:)`` first: then it
    /// comes at most once.
    case fired(RuleFiring)
    /// A trigger was met, but the rule did not fire; see ``RuleEngine/explanation(of:)``. Of these only `limited`
    /// and `loop` come here, for the alert, with the rules of its chain: ``RuleExplanation/partners``.
    case stopped(rule: Int, RuleRefusal, partners: [Int])
    /// What must outlive a restart has changed: see ``RuleEngine/memory(of:)``. Once a rule and event, last.
    case remembered(rule: Int)
    /// Its moment, which comes once, is over: the rule is off.
    case switchedOff(rule: Int)
    /// A run has ended: a ceiling at `range` ends with it.
    case rangeEnded(rule: Int)
    case suspended(rule: Int, RuleSuspension)
    case resumed(rule: Int)
}

/// One firing of a rule.
package struct RuleFiring: Sendable, Hashable {
    package let rule: Int
    package let cause: RuleCause
    /// As `explain` and the history have it; `missed` is before a late one.
    package let why: String
    /// Milliseconds since 1970 UTC.
    package let at: Int64
    /// Which actions run, in the order of the rule: those of the start, with those of the range; those of the
    /// range alone, when the run is entered later; or those of the end.
    package let timings: [RuleAction.Timing]
    /// The run of a schedule, or the moment that was due; `nil` for what is no schedule, and for a request.
    package let occurrence: Occurrence?
    package let isMissed: Bool
    /// The rules whose firings led to it, oldest first; none for what came from outside.
    package let chain: [Int]
}

/// Why a rule did not fire though a trigger was met.
/// - Source: contrib/contract/rules.md, "Faces", `rule explain`.
package enum RuleRefusal: String, Sendable, Hashable, CaseIterable {
    /// A condition did not hold, or could not be told.
    case condition
    /// The clause was true before, or was not known; or the value did not differ.
    case edge
    case pause, off, suspended, missed, limited, loop
}
