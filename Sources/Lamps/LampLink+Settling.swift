import RateLimiting

// The decisions that follow from the current state.
extension LampLink {
    /// How long a lamp may take to answer a command, milliseconds: after twice this time it is reported as
    /// silent, and each retry waits twice as long as the one before.
    static var answerMilliseconds: Int64 { 2500 }
    /// Longest interval between retries, a minute: a lamp may be without power for long.
    static var longestAnswerMilliseconds: Int64 { 60_000 }
    static var stateRequestMilliseconds: Int64 { 5000 }
    /// How long after a command reports may still describe the state before it.
    static var quietMilliseconds: Int64 { 1000 }
    /// Each report extends this time by the pause, up to the limit.
    static var pause: Int64 { 400 }
    static var longestQuiet: Int64 { 3000 }
    static var retryMilliseconds: Int64 { 5000 }
    private static var stepMilliseconds: Int64 { 250 }
    /// Longer than any request takes.
    private static var adoptionMilliseconds: Int64 { 60_000 }

    /// Handles deadlines that have passed.
    package mutating func timePassed(at now: Int64) -> [Action] { settle(at: now) }

    mutating func settle(at now: Int64) -> [Action] {
        var actions: [Action] = []
        if let thing, isReachable {
            if let adoption, now - adoption.since > Self.adoptionMilliseconds {
                self.adoption = nil
                if pending == .none { pending = .lamp }
            }
            handleConfirmation(thing, at: now, &actions)
            if let due = stateRequestBy, now >= due {
                stateRequestBy = nil
                silence = .afterStateRequest
                requestAgainAt = now + Self.longestAnswerMilliseconds
            }
            if silence == .afterStateRequest, order == nil, let due = requestAgainAt, now >= due {
                requestAgainAt = now + Self.longestAnswerMilliseconds
                actions.append(.publish(dialect.stateRequest(for: thing.wanted)))
            }
            switch pending {
            case .none: break
            case .thing(let seconds): send(thing, over: seconds, at: now, &actions)
            case .lamp: adopt(thing, at: now, &actions)
            }
            stepFade(at: now, &actions)
        }
        reportCondition(at: now, &actions)
        return actions
    }

    /// When to call ``timePassed(at:)`` next; `nil` while nothing is pending.
    package func nextDue(after now: Int64) -> Int64? {
        var dues: [Int64?] = []
        if thing != nil, isReachable {
            dues = [
                order.map { $0.isConfirmed ? $0.quietAt : $0.answerBy }, stateRequestBy, fade?.nextStep,
                silence == .afterStateRequest && order == nil ? requestAgainAt : nil,
                adoption.map { $0.since + Self.adoptionMilliseconds + 1 },
            ]
            switch pending {
            case .thing where adoption == nil:
                dues.append(max(orderPace.due() ?? 0, oscillation.waitUntil ?? 0, waitsForLight ?? 0))
            case .lamp where adoption == nil && order == nil:
                dues.append(max(retryAt, adoptionPace.due() ?? 0, oscillation.waitUntil ?? 0))
            default: break
            }
        }
        if thing != nil, condition != reported { dues.append(conditionPace.due()) }
        return dues.compactMap { $0 }.min().map { max($0, now + 1) }
    }

    // MARK: Commands to the lamp

    /// Whether the lamp reports everything that the thing wants, by a command or not.
    private var isAsWanted: Bool {
        guard isHeard, let goal = thing?.wanted else { return false }
        return goal.isCovered(by: lamp) && goal.isShown(by: lamp)
    }

    /// Until when a change of the thing waits, because the lamp already matches it while another command is
    /// pending.
    private var waitsForLight: Int64? {
        guard let order, order.goal != thing?.wanted, isAsWanted else { return nil }
        return order.lightsFrom
    }

    private mutating func handleConfirmation(_ thing: LinkedThing, at now: Int64, _ actions: inout [Action]) {
        guard let order else { return }
        if order.isConfirmed {
            guard now >= order.quietAt else { return }
            self.order = nil
            if pending == .none, !isAgreed { pending = .lamp }
        } else if now >= order.answerBy {
            handleMissingConfirmation(order, thing, at: now, &actions)
        }
    }

    /// A command was not confirmed in time: the lamp did not receive it, or did not follow it.
    private mutating func handleMissingConfirmation(
        _ order: Order,
        _ thing: LinkedThing,
        at now: Int64,
        _ actions: inout [Action]
    ) {
        if silence == .none, isHeard, order.goal.isCovered(by: lamp), order.goal.isShown(by: lamp) {
            // It matched before, so it may have nothing to report. A silent lamp still has to show that it is
            // back.
            self.order = nil
            return
        }
        let isNear = thing.wanted.isShown(by: lamp, within: .nature)
        let hasIgnoredWhite = order.hasIgnoredWhite(lamp)
        if order.isHeard,
            order.isRepeated || !isNear && !hasIgnoredWhite && !order.before.isShown(by: lamp)
        {
            // It answers with another state: it cannot show this one, or somebody changed it meanwhile.
            self.order = nil
            guard pending == .none, !isAgreed else { return }
            if isNear { agree() } else { pending = .lamp }
            return
        }
        if !order.isHeard, order.tries > 1 { silence = .afterOrder }
        var next = order
        next.tries += 1
        next.isRepeated = order.isHeard
        if hasIgnoredWhite { next.messages = dialect.order(order.goal.asColour, from: lamp, over: nil) }
        let pause = Self.answerMilliseconds << Int64(order.isHeard ? 0 : min(order.tries - 1, 5))
        next.answerBy = now + min(pause, Self.longestAnswerMilliseconds)
        next.quietAt = now + Self.quietMilliseconds
        next.quietAtLast = now + Self.longestQuiet
        self.order = next
        actions.append(.publish(next.messages))
    }

    private mutating func send(
        _ thing: LinkedThing,
        over seconds: Double?,
        at now: Int64,
        _ actions: inout [Action]
    ) {
        // The values that the thing is adopting may be what the change is about.
        guard adoption == nil else { return }
        let goal = thing.wanted
        var isSent = order.map { $0.goal == goal } ?? (isHeard && goal.isCovered(by: lamp) && isAgreed)
        if let due = waitsForLight {
            // The report is older than the pending order, or answers a command of another client.
            guard now >= due else { return }
            if order?.isHeard == true {
                self.order = nil
                isSent = true
            }
        }
        if isSent {
            pending = .none
            oscillation.rest()
            return
        }
        // A change that the rate limit delays is no step of an oscillation.
        guard now >= orderPace.due() ?? now, oscillation.mayStep(goal, lamp, at: now), orderPace.take(at: now)
        else { return }
        pending = .none
        stateRequestBy = nil
        let seconds = seconds.flatMap { $0 > 0 ? $0 : nil }
        let length = Int64(((seconds ?? 0) * 1000).rounded())
        let order = Order(
            goal: goal,
            before: lamp,
            messages: dialect.order(goal, from: lamp, over: nil),
            lightsFrom: now + Self.quietMilliseconds,
            answerBy: now + length + Self.answerMilliseconds,
            quietAt: now + length + Self.quietMilliseconds,
            quietAtLast: now + length + Self.longestQuiet
        )
        fade = nil
        if let seconds, seconds > dialect.longestFade {
            let start = isHeard ? lamp : LampState()
            fade = Fade(start: start, goal: goal, began: now, milliseconds: seconds * 1000, nextStep: now)
        } else {
            actions.append(.publish(dialect.order(difference(to: goal), from: lamp, over: seconds)))
        }
        if dialect.stateTopics.isEmpty {
            // A lamp without state reports is assumed to follow its commands.
            lamp.merge(goal)
            isHeard = true
        } else {
            self.order = order
        }
    }

    /// The part of a goal that must be sent.
    ///
    /// A lamp that is off gets everything, because its reported values
    /// may not last.
    private func difference(to goal: LampState) -> LampState {
        guard goal.isOn != false else { return LampState(isOn: false) }
        let sent = order?.goal ?? goal
        guard isHeard, lamp.isOn == true, sent.isOn != false else { return goal }
        var difference = LampState(isOn: true)
        if lamp.level == nil || !goal.isLevelShown(by: lamp) || !goal.isLevelShown(by: sent) {
            difference.level = goal.level
        }
        if lamp.shownColour == nil || !goal.isColourShown(by: lamp) || !goal.isColourShown(by: sent) {
            (difference.colour, difference.temperature) = (goal.colour, goal.temperature)
        }
        return difference
    }

    private mutating func stepFade(at now: Int64, _ actions: inout [Action]) {
        guard var fade, now >= fade.nextStep else { return }
        let fraction = Double(now - fade.began) / fade.milliseconds
        let state = fade.start.interpolated(to: fade.goal, fraction: fraction)
        actions.append(.publish(dialect.order(state, from: lamp, over: nil)))
        fade.nextStep = now + Self.stepMilliseconds
        self.fade = fraction < 1 ? fade : nil
    }

    // MARK: Changes to the thing

    private mutating func adopt(_ thing: LinkedThing, at now: Int64, _ actions: inout [Action]) {
        guard order == nil, adoption == nil, now >= retryAt else { return }
        guard !isAgreed, let (request, values) = thing.adoption(of: lamp) else {
            if !isAgreed { agree() }
            pending = .none
            oscillation.rest()
            return
        }
        guard now >= adoptionPace.due() ?? now, oscillation.mayStep(thing.wanted, lamp, at: now),
            adoptionPace.take(at: now)
        else { return }
        pending = .none
        adoption = Adoption(values: values, lamp: lamp, since: now)
        actions.append(.set(request))
    }

    // MARK: Condition

    var condition: Condition {
        var condition = Condition()
        condition.isOnline = !isOffline
        condition.isSilent = silence != .none && condition.isOnline
        if case .thing = pending, !condition.isOnline { condition.isUnconfirmed = true }
        if silence == .afterOrder { condition.isUnconfirmed = true }
        return condition
    }

    private mutating func reportCondition(at now: Int64, _ actions: inout [Action]) {
        let condition = condition
        guard thing != nil, condition != reported, conditionPace.take(at: now) else { return }
        reported = condition
        actions.append(.report(condition))
    }
}
