/// What follows from all that has happened.
extension LampLink {
    /// How long a lamp may take to answer an order, milliseconds: twice so long and it is told of as silent, and each
    /// further try is given twice the time of the one before.
    static var answerMilliseconds: Int64 { 2500 }
    /// A lamp that does not answer is told, or asked, once a minute at last: it may be without power for long.
    static var longestAnswerMilliseconds: Int64 { 60_000 }
    static var questionMilliseconds: Int64 { 5000 }
    /// How long after an order a lamp may still speak of what it was before.
    static var quietMilliseconds: Int64 { 1000 }
    /// How long it is kept from being believed by each such word, and at most.
    static var pause: Int64 { 400 }
    static var longestQuiet: Int64 { 3000 }
    static var retryMilliseconds: Int64 { 5000 }
    private static var stepMilliseconds: Int64 { 250 }
    /// Every request is answered long before.
    private static var adoptionMilliseconds: Int64 { 60_000 }

    /// Something may be due.
    package mutating func timePassed(at now: Int64) -> [Action] { settle(at: now) }

    mutating func settle(at now: Int64) -> [Action] {
        var actions: [Action] = []
        if let thing, isReachable {
            if let adoption, now - adoption.since > Self.adoptionMilliseconds {
                self.adoption = nil
                if wish == .nobody { wish = .lamp }
            }
            lookAtOrder(thing, at: now, &actions)
            if let due = questionBy, now >= due {
                questionBy = nil
                silence = .afterQuestion
                askAgainAt = now + Self.longestAnswerMilliseconds
            }
            if silence == .afterQuestion, order == nil, let due = askAgainAt, now >= due {
                askAgainAt = now + Self.longestAnswerMilliseconds
                actions.append(.publish(dialect.question(about: thing.wanted)))
            }
            switch wish {
            case .nobody: break
            case .thing(let seconds): send(thing, over: seconds, at: now, &actions)
            case .lamp: adopt(thing, at: now, &actions)
            }
            stepFade(at: now, &actions)
        }
        tellCondition(at: now, &actions)
        return actions
    }

    /// When ``timePassed(at:)`` is to be called next; `nil` while nothing is awaited.
    package func nextDue(after now: Int64) -> Int64? {
        var dues: [Int64?] = []
        if thing != nil, isReachable {
            dues = [
                order.map { $0.isConfirmed ? $0.quietAt : $0.answerBy }, questionBy, fade?.nextStep,
                silence == .afterQuestion && order == nil ? askAgainAt : nil,
                adoption.map { $0.since + Self.adoptionMilliseconds + 1 },
            ]
            switch wish {
            case .thing where adoption == nil:
                dues.append(max(orderPace.due ?? 0, contest.waitUntil ?? 0, waitsForLight ?? 0))
            case .lamp where adoption == nil && order == nil:
                dues.append(max(retryAt, adoptionPace.due ?? 0, contest.waitUntil ?? 0))
            default: break
            }
        }
        if thing != nil, condition != told { dues.append(conditionPace.due) }
        return dues.compactMap { $0 }.min().map { max($0, now + 1) }
    }

    // MARK: To the lamp

    /// Whether the lamp says all that the thing wants, whether because of an order or not.
    private var isAsWanted: Bool {
        guard isHeard, let goal = thing?.wanted else { return false }
        return goal.isSaid(by: lamp) && goal.isShown(by: lamp)
    }

    /// Until when a wish waits because the lamp, with another order under way, is as wanted already.
    private var waitsForLight: Int64? {
        guard let order, order.goal != thing?.wanted, isAsWanted else { return nil }
        return order.lightsFrom
    }

    private mutating func lookAtOrder(_ thing: LinkedThing, at now: Int64, _ actions: inout [Action]) {
        guard let order else { return }
        if order.isConfirmed {
            guard now >= order.quietAt else { return }
            self.order = nil
            if wish == .nobody, !isAgreed { wish = .lamp }
        } else if now >= order.answerBy {
            lookAtAnswer(order, thing, at: now, &actions)
        }
    }

    /// An order was not confirmed in time: it has not been heard, or is not obeyed.
    private mutating func lookAtAnswer(
        _ order: Order,
        _ thing: LinkedThing,
        at now: Int64,
        _ actions: inout [Action]
    ) {
        if silence == .none, isHeard, order.goal.isSaid(by: lamp), order.goal.isShown(by: lamp) {
            // It was so already, and has no reason to say it again. A silent lamp still has to show that it is back.
            self.order = nil
            return
        }
        let isNear = thing.wanted.isShown(by: lamp, within: .nature)
        let hasIgnoredWhite = order.hasIgnoredWhite(lamp)
        if order.isHeard,
            order.isRepeated || !isNear && !hasIgnoredWhite && !order.before.isShown(by: lamp)
        {
            // It lives, and does something else: as its nature is, or because somebody wanted that meanwhile.
            self.order = nil
            guard wish == .nobody, !isAgreed else { return }
            if isNear { agree() } else { wish = .lamp }
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
        // What the thing takes over now may be what the wish is about.
        guard adoption == nil else { return }
        let goal = thing.wanted
        var isTold = order.map { $0.goal == goal } ?? (isHeard && goal.isSaid(by: lamp) && isAgreed)
        if let due = waitsForLight {
            // The report is older than the pending order, or answers a command of another client.
            guard now >= due else { return }
            if order?.isHeard == true {
                self.order = nil
                isTold = true
            }
        }
        if isTold {
            wish = .nobody
            contest.rest()
            return
        }
        // What the pace puts off is no step of a contest.
        guard now >= orderPace.due ?? now, contest.mayStep(goal, lamp, at: now), orderPace.take(at: now)
        else { return }
        wish = .nobody
        questionBy = nil
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
            actions.append(.publish(dialect.order(news(of: goal), from: lamp, over: seconds)))
        }
        if dialect.stateTopics.isEmpty {
            // It never says anything: it is as it is told.
            lamp.merge(goal)
            isHeard = true
        } else {
            self.order = order
        }
    }

    /// What of a goal has to be said; a lamp that is dark is told everything, for what it says then need not last.
    private func news(of goal: LampState) -> LampState {
        guard goal.isOn != false else { return LampState(isOn: false) }
        let told = order?.goal ?? goal
        guard isHeard, lamp.isOn == true, told.isOn != false else { return goal }
        var news = LampState(isOn: true)
        if lamp.level == nil || !goal.isLevelShown(by: lamp) || !goal.isLevelShown(by: told) {
            news.level = goal.level
        }
        if lamp.shownColour == nil || !goal.isColourShown(by: lamp) || !goal.isColourShown(by: told) {
            (news.colour, news.temperature) = (goal.colour, goal.temperature)
        }
        return news
    }

    private mutating func stepFade(at now: Int64, _ actions: inout [Action]) {
        guard var fade, now >= fade.nextStep else { return }
        let fraction = Double(now - fade.began) / fade.milliseconds
        let state = fade.start.interpolated(to: fade.goal, fraction: fraction)
        actions.append(.publish(dialect.order(state, from: lamp, over: nil)))
        fade.nextStep = now + Self.stepMilliseconds
        self.fade = fraction < 1 ? fade : nil
    }

    // MARK: To the thing

    private mutating func adopt(_ thing: LinkedThing, at now: Int64, _ actions: inout [Action]) {
        guard order == nil, adoption == nil, now >= retryAt else { return }
        guard !isAgreed, let (request, values) = thing.adoption(of: lamp) else {
            if !isAgreed { agree() }
            wish = .nobody
            contest.rest()
            return
        }
        guard now >= adoptionPace.due ?? now, contest.mayStep(thing.wanted, lamp, at: now),
            adoptionPace.take(at: now)
        else { return }
        wish = .nobody
        adoption = Adoption(values: values, lamp: lamp, since: now)
        actions.append(.set(request))
    }

    // MARK: How it fares

    var condition: Condition {
        var condition = Condition()
        condition.isOnline = offline.isEmpty
        condition.isSilent = silence != .none && condition.isOnline
        if case .thing = wish, !condition.isOnline { condition.isUnconfirmed = true }
        if silence == .afterOrder { condition.isUnconfirmed = true }
        return condition
    }

    private mutating func tellCondition(at now: Int64, _ actions: inout [Action]) {
        let condition = condition
        guard thing != nil, condition != told, conditionPace.take(at: now) else { return }
        told = condition
        actions.append(.tell(condition))
    }
}
