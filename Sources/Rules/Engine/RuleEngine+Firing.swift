/// A trigger that is met.
struct Attempt: Sendable {
    let cause: RuleCause
    let timings: [RuleAction.Timing]
    let occurrence: Occurrence?
    var isMissed = false
    var kind = Kind.usual
    /// The rules whose firings led to it, oldest first.
    var chain: [Int] = []

    enum Kind: Sendable {
        case usual
        /// The end of a run that has fired: the second half of a firing, which nothing of the rule prevents.
        case end
        /// A caller asks for it: conditions and pause do not matter.
        case request
    }

    init(_ cause: RuleCause, timings: [RuleAction.Timing] = [.start], occurrence: Occurrence? = nil) {
        (self.cause, self.timings, self.occurrence) = (cause, timings, occurrence)
    }
}

extension RuleEngine {
    /// Firings within this time count for the limit, milliseconds.
    private static let minute: Int64 = 60_000

    /// Fires the rule, unless something stands against it.
    ///
    /// - Source: contrib/contract/rules.md, "Firing".
    mutating func attempt(_ slot: Int, _ attempt: Attempt, in view: some RuleView) -> Bool {
        guard let id = slots[slot]?.id else { return false }
        if let obstacle = obstacle(slot, attempt, in: view) {
            refuse(
                slot,
                obstacle.refusal,
                attempt.cause,
                condition: obstacle.condition,
                chain: attempt.chain
            )
            return false
        }
        slots[slot]?.recent.append(now.steady)
        if attempt.kind != .end { slots[slot]?.fired = (now.wall, now.steady) }
        markChanged(slot)
        let why = attempt.cause.why(view.name)
        let firing = RuleFiring(
            rule: id,
            cause: attempt.cause,
            why: attempt.isMissed ? "missed \(why)" : why,
            at: now.wall,
            timings: attempt.timings,
            occurrence: attempt.occurrence,
            isMissed: attempt.isMissed,
            chain: attempt.chain
        )
        outputs.append(.fired(firing))
        return true
    }

    private struct Obstacle {
        let refusal: RuleRefusal
        var condition: Int?
    }

    private mutating func obstacle(
        _ slot: Int,
        _ attempt: Attempt,
        in view: some RuleView
    ) -> Obstacle? {
        guard let rule = slots[slot] else { return nil }
        guard rule.isOn || attempt.kind == .request else { return Obstacle(refusal: .off) }
        guard rule.suspension == nil else { return Obstacle(refusal: .suspended) }
        if attempt.kind == .usual {
            let wall = isClockPlausible ? now.wall : nil
            let failing = rule.entry.rule.conditions.firstIndex {
                $0.truth(in: view, at: wall, calendar) != .yes
            }
            if let failing { return Obstacle(refusal: .condition, condition: failing) }
            let pause = rule.entry.rule.pause * 1000
            if let fired = rule.fired, now.steady - fired.steady < pause { return Obstacle(refusal: .pause) }
        }
        guard attempt.chain.count < configuration.chain else { return Obstacle(refusal: .loop) }
        slots[slot]?.forgetFirings(through: now.steady - Self.minute)
        // An end comes at most as often as the start before it.
        guard attempt.kind != .end, let count = slots[slot]?.recent.count, count >= configuration.perMinute
        else { return nil }
        return Obstacle(refusal: .limited)
    }

    /// Fires a rule because a caller asks for it: with its actions of the start, else with those of the end.
    mutating func run(_ id: Int, in view: some RuleView) {
        guard let slot = places[id], let timings = slots[slot]?.timings.atStart else { return }
        var attempt = Attempt(.request, timings: timings.isEmpty ? [.end] : timings)
        attempt.kind = .request
        _ = self.attempt(slot, attempt, in: view)
    }

    mutating func refuse(
        _ slot: Int,
        _ refusal: RuleRefusal,
        _ cause: RuleCause,
        condition: Int? = nil,
        chain: [Int] = []
    ) {
        guard let id = slots[slot]?.id else { return }
        // Its maker may read the explanation, and must not see there what he may not read.
        if cause.tells, let judgement = slots[slot]?.judgement, judgement.isOfMaker { return }
        let isStop = refusal == .limited || refusal == .loop
        let partners = isStop ? chain.partners(of: id) : []
        slots[slot]?.refusals.add(refusal, cause, condition: condition, partners: partners, at: now.wall)
        if isStop { outputs.append(.stopped(rule: id, refusal, partners: partners)) }
    }
}

extension [Int] {
    /// The other rules of the circle in which a chain comes to a rule again; those of the chain, if it does not.
    fileprivate func partners(of rule: Int) -> [Int] {
        let start = lastIndex(of: rule) ?? startIndex
        return Set(self[start...]).subtracting([rule]).sorted()
    }
}

extension RuleSlot {
    fileprivate mutating func forgetFirings(through time: Int64) {
        if let first = recent.first, first <= time { recent.removeAll { $0 <= time } }
    }
}
