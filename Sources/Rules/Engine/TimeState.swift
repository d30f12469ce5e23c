/// What the trigger of a schedule, a cron expression or a moment knows.
///
/// All times are milliseconds since 1970 UTC.
/// - Source: contrib/contract/rules.md, "Schedules".
struct TimeState: Sendable, Hashable {
    /// Occurrences that start up to it are done.
    private var handled: Int64
    /// The start of the last occurrence.
    private var last: Int64?
    /// The first occurrence that is not done.
    private(set) var next: Occurrence?
    private(set) var run: TimeRun?
    /// The start of the run in which the actions of the range have run.
    private var ranged: Int64?
    /// Whether to run those of the range now, being inside.
    private(set) var wantsRange = false

    /// What a trigger works with.
    struct Context {
        let trigger: TimeTrigger
        let calendar: RuleCalendar
        let timings: ActionTimings
        /// How late a missed occurrence may be, milliseconds.
        let latest: Int64

        func run(containing instant: Int64) -> Occurrence? {
            timings.hasRuns ? trigger.run(containing: instant, in: calendar) : nil
        }

        func next(after instant: Int64) -> Occurrence? { trigger.next(after: instant, in: calendar) }
    }

    /// What is due.
    enum Step: Sendable, Hashable {
        case start(Occurrence, isLate: Bool)
        /// The run was entered after its start.
        case range(Occurrence)
        case end(TimeRun, isLate: Bool)
        case missed(RuleAction.Timing, Occurrence)
    }

    /// Beyond it an occurrence is missed, milliseconds.
    static let punctual: Int64 = 60_000
    /// Beyond it a clock that was set back had the wrong date, milliseconds.
    static let wrongDate: Int64 = 3_600_000

    /// For a rule that is new: what is past is done.
    init(at now: Int64, _ context: Context) {
        handled = now
        restart(at: now, context)
    }

    init(remembered memory: RuleMemory.TimeMemory) {
        (handled, last, run, ranged) = (memory.handled, memory.last, memory.run, memory.ranged)
    }

    var memory: RuleMemory.TimeMemory {
        RuleMemory.TimeMemory(handled: handled, last: last, run: run, ranged: ranged)
    }

    /// When the next step is due.
    var due: Int64? {
        guard let end = run?.end else { return next?.start }
        return next.map { min($0.start, end) } ?? end
    }

    /// Whether a start is due before an end.
    var isStartFirst: Bool { next.map { next in run.map { next.start < $0.end } ?? true } ?? false }
}

// MARK: - Beginning

extension TimeState {
    /// Begins with what comes; a run under way is entered, and the end of one that is over is made up for.
    mutating func restart(at now: Int64, _ context: Context) {
        handled = now
        next = context.next(after: now)
        let current = context.run(containing: now).flatMap(TimeRun.init)
        if let old = run, old.start != current?.start {
            if let current {
                run = current.continuing(old)
            } else {
                run = old.isBegun || old.hasFired ? old.ending(at: min(old.end, now)) : nil
            }
        } else if run == nil {
            run = current
        }
        wantsRange = true
    }

    /// The date was wrong: what has fired may fire again.
    mutating func correctDate(to now: Int64, _ context: Context) {
        (last, ranged) = (nil, nil)
        restart(at: now, context)
    }

    /// The rule was edited: the actions of its range may be others.
    mutating func forgetRange() { ranged = nil }

    /// The rule was off: a run that has ended meanwhile is of no interest.
    mutating func forgetRun(endingBy now: Int64) {
        if let end = run?.end, end <= now { run = nil }
    }

    /// The daemon is up again, or the clock is right again.
    ///
    /// - Parameter first: Before this instant the clock cannot have been right.
    mutating func resume(at now: Int64, since first: Int64, _ context: Context) {
        guard handled >= first, handled <= now + Self.wrongDate else {
            correctDate(to: now, context)
            return
        }
        next = context.next(after: handled)
        wantsRange = true
    }

    /// Time zones or the place of the sun have changed.
    mutating func recalculate(at now: Int64, from old: RuleCalendar, _ context: Context) {
        guard case .schedule(let schedule) = context.trigger.due, schedule.needsPlace else {
            move(to: max(now, handled), now, context)
            return
        }
        // Where one is may come to be known late; then what is due meanwhile is not lost.
        if old.place == nil {
            next = context.next(after: handled)
            wantsRange = true
            return
        }
        // With the place the times of the sun move a little; the same day's must not come again.
        let least = schedule.interval.map { $0 * 500 } ?? 6 * 3_600_000
        move(to: max(now, handled, last.map { $0 + least } ?? .min), now, context)
    }

    private mutating func move(to instant: Int64, _ now: Int64, _ context: Context) {
        handled = instant
        next = context.next(after: instant)
        guard run == nil, instant == now, let current = context.run(containing: now),
            last.map({ current.start > $0 }) ?? true
        else { return }
        run = TimeRun(current)
        wantsRange = true
    }
}

// MARK: - Steps

extension TimeState {
    /// The next thing that is due, if anything is.
    mutating func step(at now: Int64, _ context: Context) -> Step? {
        if let run, run.end <= now, !isStartFirst { return end(run, at: now, context) }
        if let next, next.start <= now { return start(next, at: now, context) }
        return enterRange(at: now, context)
    }

    private mutating func end(_ run: TimeRun, at now: Int64, _ context: Context) -> Step {
        self.run = nil
        guard now - run.end > Self.punctual else { return .end(run, isLate: false) }
        let occurrence = Occurrence(start: run.start, end: run.end)
        guard run.isBegun || run.hasFired else { return .missed(.end, occurrence) }
        // What the next run has begun must not be ended by the one before.
        if let other = context.run(containing: now).flatMap(TimeRun.init), other.start > run.start {
            self.run = other.continuing(run)
            return .missed(.end, occurrence)
        }
        return .end(run, isLate: true)
    }

    private mutating func start(_ due: Occurrence, at now: Int64, _ context: Context) -> Step {
        guard now - due.start > Self.punctual else {
            begin(due, context)
            next = context.next(after: due.start)
            return .start(due, isLate: false)
        }
        if let recent = context.next(after: now - Self.punctual - 1), recent.start <= now {
            next = recent
            return .missed(.start, due)
        }
        let latest = context.trigger.latest(through: now, since: due.start, in: context.calendar) ?? due
        next = context.next(after: max(now, latest.start))
        let isOver = context.timings.hasRuns && latest.end.map { $0 <= now } ?? false
        if context.trigger.missed == .run, now - latest.start <= context.latest, !isOver {
            begin(latest, context)
            return .start(latest, isLate: true)
        }
        (handled, last) = (latest.start, latest.start)
        if !isOver, context.timings.hasRuns, let entered = TimeRun(latest) {
            run = run.map { entered.continuing($0) } ?? entered
            wantsRange = true
        }
        return .missed(.start, latest)
    }

    private mutating func begin(_ occurrence: Occurrence, _ context: Context) {
        (handled, last) = (occurrence.start, occurrence.start)
        wantsRange = false
        guard context.timings.hasRuns, var begun = TimeRun(occurrence) else { return }
        begun.isBegun = true
        run = run.map { begun.continuing($0) } ?? begun
    }

    private mutating func enterRange(at now: Int64, _ context: Context) -> Step? {
        guard wantsRange else { return nil }
        wantsRange = false
        guard context.timings.range, let run, run.start <= now, now < run.end, ranged != run.start else {
            return nil
        }
        return .range(Occurrence(start: run.start, end: run.end))
    }

    /// The rule has fired at the start of its run, or within it.
    mutating func recordFiring() {
        run?.hasFired = true
        ranged = run?.start
    }
}

extension TimeRun {
    /// `nil` for a run without an end.
    init?(_ occurrence: Occurrence) {
        guard let end = occurrence.end else { return nil }
        self.init(start: occurrence.start, end: end, isBegun: false, hasFired: false)
    }

    /// This run, with what the one before has begun.
    fileprivate func continuing(_ old: TimeRun) -> TimeRun {
        var run = self
        run.isBegun = isBegun || old.isBegun
        run.hasFired = old.hasFired
        return run
    }

    fileprivate func ending(at end: Int64) -> TimeRun {
        TimeRun(start: min(start, end), end: end, isBegun: isBegun, hasFired: hasFired)
    }
}

/// At which times of a run a rule has actions.
struct ActionTimings: Sendable, Hashable {
    private(set) var start = false
    private(set) var end = false
    private(set) var range = false

    init(_ rule: Rule) {
        for action in rule.actions {
            switch action.timing {
            case .start: start = true
            case .end: end = true
            case .range: range = true
            }
        }
    }

    /// Those of a start, at which one is inside the range, too.
    var atStart: [RuleAction.Timing] {
        switch (start, range) {
        case (true, true): [.start, .range]
        case (true, false): [.start]
        case (false, true): [.range]
        case (false, false): []
        }
    }

    /// Whether it matters when a run ends.
    var hasRuns: Bool { end || range }
}
