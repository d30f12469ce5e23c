/// What the trigger of a clause or a field knows.
/// - Source: contrib/contract/rules.md, "State and places".
struct ClauseState: Sendable, Hashable {
    /// Of the last values, with the margin.
    private(set) var truth = RuleTruth.unknown
    /// The same, but true only after it has held long enough: what edges are seen of, and what is remembered.
    private(set) var settled = RuleTruth.unknown
    private(set) var hold: Hold? {
        get { boxedHold?.wrappedValue }
        set { boxedHold = newValue.map { Boxed($0) } }
    }
    private var boxedHold: Boxed<Hold>?
    /// Whether it is true since the rule began with it, and so has no edge before it has ended; if it must last.
    private(set) var isStanding = false

    /// A clause that is true, but not for long enough yet.
    struct Hold: Sendable, Hashable {
        /// Milliseconds of the steady clock.
        let due: Int64
        /// What made it true.
        let cause: RuleCause
        let isWrite: Bool
        let chain: [Int]
    }

    enum Verdict: Sendable, Hashable {
        case fire
        /// It is true, but that is no news.
        case noEdge
        case nothing
    }

    init() {}

    init(remembered truth: RuleTruth, isStanding: Bool) {
        (self.truth, settled, self.isStanding) = (truth, truth, isStanding)
    }

    /// The values were written, or are seen for the first time.
    ///
    /// - Parameter now: Milliseconds of the steady clock.
    mutating func update(
        to new: RuleTruth,
        _ trigger: StateTrigger,
        at now: Int64,
        isWrite: Bool,
        chain: [Int],
        cause: () -> RuleCause
    ) -> Verdict {
        let before = settled
        truth = new
        guard new == .yes else {
            settled = new
            (hold, isStanding) = (nil, false)
            return verdict(trigger.edge, before, isWrite: isWrite)
        }
        // What is true at first sight is no edge, so there is nothing to wait for.
        let mustWait = before == .no || before == .unknown && trigger.edge == .isTrue
        guard trigger.hold > 0, mustWait else {
            if trigger.hold > 0, before == .unknown { isStanding = true }
            settled = .yes
            return verdict(trigger.edge, before, isWrite: isWrite)
        }
        if hold == nil {
            let due = now + trigger.hold * 1000
            hold = Hold(due: due, cause: cause(), isWrite: isWrite, chain: chain)
        }
        return .nothing
    }

    /// The clause has held long enough.
    mutating func settle(_ trigger: StateTrigger) -> (Verdict, Hold)? {
        guard let hold else { return nil }
        let before = settled
        settled = .yes
        self.hold = nil
        return (verdict(trigger.edge, before, isWrite: hold.isWrite), hold)
    }

    private func verdict(_ edge: StateTrigger.Edge, _ before: RuleTruth, isWrite: Bool) -> Verdict {
        let fires =
            switch edge {
            case .isTrue: isWrite && settled == .yes
            case .becomesTrue: before == .no && settled == .yes
            case .changes: before != settled && before != .unknown && settled != .unknown
            }
        if fires { return .fire }
        return isWrite && settled == .yes ? .noEdge : .nothing
    }
}
