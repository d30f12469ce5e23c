extension RuleEngine {
    typealias Reference = RuleIndex.Reference

    // MARK: Slots

    func isActive(_ slot: Int) -> Bool { slots[slot]?.isActive ?? false }

    func state(of reference: Reference) -> TriggerState? { slots[reference.slot]?.states[reference.trigger] }

    mutating func setState(_ state: TriggerState, of reference: Reference) {
        slots[reference.slot]?.states[reference.trigger] = state
    }

    func trigger(of reference: Reference) -> RuleTrigger? {
        slots[reference.slot]?.entry.rule.triggers[reference.trigger]
    }

    func context(of reference: Reference) -> TimeState.Context? {
        guard case .time(let trigger) = trigger(of: reference), let timings = slots[reference.slot]?.timings
        else { return nil }
        let latest = configuration.missedMinutes * 60_000
        return TimeState.Context(trigger: trigger, calendar: calendar, timings: timings, latest: latest)
    }

    mutating func markChanged(_ slot: Int) {
        guard slots[slot]?.isChanged == false else { return }
        slots[slot]?.isChanged = true
        changed.append(slot)
    }

    // MARK: Planning

    /// Makes sure that the trigger is looked at when it is due.
    mutating func plan(_ reference: Reference) {
        guard isActive(reference.slot), let state = state(of: reference) else { return }
        if case .time(let time) = state, time.wantsRange, isClockPlausible { rangesToEnter.append(reference) }
        guard let due = due(of: reference, state), let generation = slots[reference.slot]?.generation else {
            return
        }
        // A timer that is too early plans the trigger again. So each has one in the queue, however often it moves.
        if let queued = slots[reference.slot]?.queued[reference.trigger], queued <= due { return }
        slots[reference.slot]?.queued[reference.trigger] = due
        var isStart = true
        if case .time(let time) = state { isStart = time.isStartFirst }
        let timer = TimerQueue.Timer(
            due: due,
            rule: reference.rule,
            isStart: isStart,
            trigger: reference.trigger,
            slot: reference.slot,
            generation: generation
        )
        if case .time = state { wallTimers.insert(timer) } else { steadyTimers.insert(timer) }
        removeVoidTimers()
    }

    /// A rule that is switched off or edited leaves its timers, some of which are due in years.
    private mutating func removeVoidTimers() {
        guard wallTimers.isFull || steadyTimers.isFull else { return }
        let slots = slots
        func isMeant(_ timer: TimerQueue.Timer) -> Bool {
            guard let slot = slots[timer.slot], slot.generation == timer.generation else { return false }
            return slot.queued[timer.trigger] == timer.due
        }
        if wallTimers.isFull { wallTimers.keep(where: isMeant) }
        if steadyTimers.isFull { steadyTimers.keep(where: isMeant) }
    }

    /// The timers that wait, with those that mean nothing any more.
    package var timers: Int { wallTimers.count + steadyTimers.count }

    /// When the trigger is due, on its clock.
    private func due(of reference: Reference, _ state: TriggerState) -> Int64? {
        switch state {
        case .clause(let state): return state.hold?.due
        case .device(let state): return state.due
        case .time(let state): return state.due
        case .beacon(let state):
            guard isBeaconSensorOn, let beacon = trigger(of: reference)?.beacon else { return nil }
            return state.due(beacon)
        case .circle, .moment: return nil
        }
    }

    // MARK: Due

    /// Does what is due.
    mutating func advance(in view: some RuleView) {
        repeat {
            while let (timer, now) = nextTimer() {
                let reference = Reference(rule: timer.rule, trigger: timer.trigger, slot: timer.slot)
                guard slots[timer.slot]?.generation == timer.generation,
                    slots[timer.slot]?.queued[timer.trigger] == timer.due
                else { continue }
                slots[timer.slot]?.queued[timer.trigger] = nil
                if let state = state(of: reference), let due = due(of: reference, state), due <= now {
                    expire(reference, state, in: view)
                }
                plan(reference)
            }
            guard !rangesToEnter.isEmpty else { return }
            let inside = rangesToEnter.sorted()
            rangesToEnter.removeAll()
            for reference in inside {
                takeStep(of: reference, in: view)
                plan(reference)
            }
        } while true
    }

    /// Removes the earliest timer that is due, and has the time of its clock.
    private mutating func nextTimer() -> (TimerQueue.Timer, now: Int64)? {
        let wall = isClockPlausible ? wallTimers.first.flatMap { $0.due <= now.wall ? $0 : nil } : nil
        let steady = steadyTimers.first.flatMap { $0.due <= now.steady ? $0 : nil }
        if let wall, steady.map({ wall.due <= $0.due + now.offset }) ?? true {
            return wallTimers.removeFirst().map { ($0, now.wall) }
        }
        guard steady != nil else { return nil }
        return steadyTimers.removeFirst().map { ($0, now.steady) }
    }

    private mutating func expire(_ reference: Reference, _ state: TriggerState, in view: some RuleView) {
        switch state {
        case .clause(let state): settle(reference, state, in: view)
        case .beacon(let state): loseBeacon(reference, state, in: view)
        case .device(let state): expireDevice(reference, state, in: view)
        case .time: takeStep(of: reference, in: view)
        case .circle, .moment: break
        }
    }
}

// MARK: - Steps of schedules

extension RuleEngine {
    private mutating func takeStep(of reference: Reference, in view: some RuleView) {
        guard isActive(reference.slot), case .time(var time) = state(of: reference),
            let context = context(of: reference)
        else { return }
        let next = time.step(at: now.wall, context)
        setState(.time(time), of: reference)
        guard let step = next else { return }
        markChanged(reference.slot)
        let hasFired: Bool
        switch step {
        case .start(let occurrence, let isLate):
            hasFired = start(reference, occurrence, isLate: isLate, context, in: view)
        case .range(let occurrence):
            let attempt = Attempt(.schedule(.range), timings: [.range], occurrence: occurrence)
            hasFired = self.attempt(reference.slot, attempt, in: view)
        case .end(let run, let isLate):
            end(reference, run, isLate: isLate, context, in: view)
            hasFired = false
        case .missed(let timing, let occurrence):
            hasFired = false
            let cause: RuleCause = timing == .end ? .schedule(.end) : context.trigger.cause
            refuse(reference.slot, .missed, cause)
            if timing == .start { finishMoment(reference, context, occurrence) }
        }
        // The rule may have gone off.
        guard hasFired, case .time(var fired) = state(of: reference) else { return }
        fired.recordFiring()
        setState(.time(fired), of: reference)
    }

    private mutating func start(
        _ reference: Reference,
        _ occurrence: Occurrence,
        isLate: Bool,
        _ context: TimeState.Context,
        in view: some RuleView
    ) -> Bool {
        defer { finishMoment(reference, context, occurrence) }
        let timings = context.timings
        guard !timings.atStart.isEmpty else { return false }
        guard slots[reference.slot]?.occurred != occurrence.start else { return true }
        var attempt = Attempt(
            context.trigger.cause,
            timings: timings.atStart,
            occurrence: occurrence
        )
        attempt.isMissed = isLate
        guard self.attempt(reference.slot, attempt, in: view) else { return false }
        slots[reference.slot]?.occurred = occurrence.start
        return true
    }

    private mutating func end(
        _ reference: Reference,
        _ run: TimeRun,
        isLate: Bool,
        _ context: TimeState.Context,
        in view: some RuleView
    ) {
        if context.timings.range { outputs.append(.rangeEnded(rule: reference.rule)) }
        guard context.timings.end else { return }
        let occurrence = Occurrence(start: run.start, end: run.end)
        var attempt = Attempt(.schedule(.end), timings: [.end], occurrence: occurrence)
        attempt.isMissed = isLate
        // What a run has begun must end: a heater must not stay on because somebody has left the zone.
        attempt.kind = run.hasFired ? .end : .usual
        _ = self.attempt(reference.slot, attempt, in: view)
    }

    /// A moment that comes once is over, so the rule goes off.
    private mutating func finishMoment(
        _ reference: Reference,
        _ context: TimeState.Context,
        _ occurrence: Occurrence
    ) {
        guard case .once = context.trigger.due else { return }
        outputs.append(.switchedOff(rule: reference.rule))
        deactivate(reference.slot) { $0.isOn = false }
    }
}

extension TimeTrigger {
    /// Why the rule fires at a start.
    var cause: RuleCause {
        switch due {
        case .schedule: .schedule(.start)
        case .cron: .cron
        case .once: .once
        }
    }
}

extension RuleTrigger {
    var beacon: RuleBeacon? {
        switch self {
        case .enter(.beacon(let beacon), _), .exit(.beacon(let beacon), _): beacon
        default: nil
        }
    }

    var circle: RuleCircle? {
        switch self {
        case .enter(.circle(let circle), _), .exit(.circle(let circle), _): circle
        default: nil
        }
    }

    /// Whether it is met on coming in, or near.
    var isEntry: Bool {
        switch self {
        case .enter, .near: true
        default: false
        }
    }

    /// Of a place or a nearness: what makes the rule fire.
    ///
    /// - Parameter node: That of a further device which has come or gone.
    func presenceCause(by node: String? = nil) -> RuleCause? {
        switch self {
        case .enter(let place, _): .enter(place, by: node)
        case .exit(let place, _): .exit(place, by: node)
        case .near(let thing, _): thing.id.map { .near($0, by: node) }
        case .far(let thing, _): thing.id.map { .far($0, by: node) }
        default: nil
        }
    }
}
