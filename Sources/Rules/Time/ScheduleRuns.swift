import Flare

/// The runs of a schedule in a time zone and at a place, day by day.
struct ScheduleRuns {
    private let schedule: Schedule
    private let zone: ZoneTable
    private let place: GeoPoint?

    init(_ schedule: Schedule, _ zone: ZoneTable, _ place: GeoPoint?) {
        self.schedule = schedule
        self.zone = schedule.utc ? .utc : zone
        self.place = place
    }

    /// A schedule of the sun is given up after so many days without sunrise or sunset.
    ///
    /// That is more than a year of days, and 400 years of a date.
    private static let mostDarkDays = 400

    // Repeated runs between times of the sun may overlap those of the next days, by what the sun shifts in a
    // day.
    private var overlappingDays: Int { schedule.needsPlace && schedule.interval != nil ? 4 : 0 }

    func next(after instant: Int64) -> Occurrence? {
        let today = zone.dayNumber(at: instant)
        let days = schedule.days
        var day = max(days.lowerBound, today - daysOfStart.upperBound)
        let last = min(days.upperBound, day + DayPattern.cycle)
        var darkDays = 0
        while darkDays < Self.mostDarkDays, let found = schedule.pattern.next(onOrAfter: day, through: last) {
            if let run = run(after: instant, on: found) {
                return earlier(than: run, after: instant, following: found, through: last)
            }
            if schedule.needsPlace { darkDays += 1 }
            day = found + 1
        }
        return nil
    }

    /// The run, or one of the following days that starts as early or earlier.
    ///
    /// If clocks skip a whole day, its runs start with those of the next midnight, which are then the ones to
    /// keep.
    private func earlier(
        than run: Occurrence,
        after instant: Int64,
        following day: Int,
        through last: Int
    ) -> Occurrence {
        var earliest = run
        for distance in (1...4).prefix(schedule.needsPlace ? overlappingDays : 1) {
            guard day + distance <= last, schedule.pattern.contains(day + distance) else { continue }
            guard let other = self.run(after: instant, on: day + distance), other.start <= earliest.start
            else { break }
            earliest = other
        }
        return earliest
    }

    func latest(through instant: Int64, since earliest: Int64) -> Occurrence? {
        let today = zone.dayNumber(at: instant)
        let days = schedule.days
        var day = min(days.upperBound, today - daysOfStart.lowerBound)
        let oldest = zone.dayNumber(at: earliest) - daysOfStart.upperBound
        let first = max(days.lowerBound, oldest, day - DayPattern.cycle)
        var darkDays = 0
        while darkDays < Self.mostDarkDays,
            let found = schedule.pattern.previous(onOrBefore: day, from: first)
        {
            if let run = run(through: instant, on: found) {
                let before = (1...4).prefix(overlappingDays).map { found - $0 }
                    .filter { $0 >= first && schedule.pattern.contains($0) }
                    .compactMap { self.run(through: instant, on: $0) }
                return before.reduce(run) { $1.start > $0.start ? $1 : $0 }
            }
            if schedule.needsPlace { darkDays += 1 }
            day = found - 1
        }
        return nil
    }

    /// On which days after its date a run may start, at the most.
    ///
    /// A time of the sun may be on the day before or after, its offset moves it by a day more, and clocks may
    /// skip a day or repeat one.
    private var daysOfStart: ClosedRange<Int> {
        var (first, last) = (-1, 1)
        if schedule.startTimeEachDay != nil {
            for time in [schedule.startTimeEachDay, schedule.endTimeEachDay] {
                guard case .sun(_, let offset) = time else { continue }
                first = min(first, offset < 0 ? -3 : -2)
                last = max(last, offset > 0 ? 3 : 2)
            }
            if schedule.timeBeforeEnd != nil { last += 1 }
        }
        return first...last + (schedule.interval == nil ? 0 : 2)
    }
}

// MARK: - Runs of a day

extension ScheduleRuns {
    /// What a day has: one run, or several that start from its start until its limit.
    private struct DayRange {
        let start: Int64
        let end: Int64?
        /// Before which repeated runs start.
        let limit: Int64
    }

    private func run(after instant: Int64, on day: Int) -> Occurrence? {
        guard canStart(on: day, after: instant) else { return nil }
        for range in ranges(of: day, after: instant) {
            guard range.start <= instant else { return run(0, in: range) }
            guard let interval = schedule.interval else { continue }
            let count = (instant - range.start) / (interval * 1000) + 1
            if range.start + count * interval * 1000 < range.limit { return run(count, in: range) }
        }
        return nil
    }

    private func run(through instant: Int64, on day: Int) -> Occurrence? {
        guard canStart(on: day, through: instant) else { return nil }
        for range in ranges(of: day).reversed() where range.start <= instant {
            guard let interval = schedule.interval, range.limit > range.start else {
                return run(0, in: range)
            }
            let last = (range.limit - 1 - range.start) / (interval * 1000)
            return run(min(last, (instant - range.start) / (interval * 1000)), in: range)
        }
        return nil
    }

    /// - Parameter count: Repeated runs before it.
    private func run(_ count: Int64, in range: DayRange) -> Occurrence {
        let start = range.start + count * (schedule.interval ?? 0) * 1000
        let byDuration = schedule.duration.map { start + $0 * 1000 }
        // The range of repeated runs says when they start; each ends by its duration.
        guard schedule.interval == nil || byDuration != nil else { return Occurrence(start: start) }
        let ends = [byDuration, range.end].compactMap(\.self)
        return Occurrence(start: start, end: ends.min().map { max($0, start) })
    }

    /// Whether its day has one run that starts at a time of its own.
    private var startsOnce: Bool { schedule.interval == nil && schedule.timeBeforeEnd == nil }

    /// Whether a run of a day may start after an instant, without the sun's equations.
    private func canStart(on day: Int, after instant: Int64) -> Bool {
        !startsOnce || startLimits(of: day).map { $0.upperBound > instant } ?? true
    }

    /// Whether a run of a day may start at an instant or before it, without the sun's equations.
    private func canStart(on day: Int, through instant: Int64) -> Bool {
        startLimits(of: day).map { $0.lowerBound <= instant } ?? true
    }

    private func startLimits(of day: Int) -> ClosedRange<Int64>? {
        schedule.startTimeEachDay.flatMap { limits(of: $0, on: day) }
    }

    /// Between which instants a time of the sun is; `nil` for one of the clock.
    private func limits(of time: DayTime, on day: Int) -> ClosedRange<Int64>? {
        guard case .sun(let event, let offset) = time, let place else { return nil }
        let limits = Sun.limits(of: event, onDay: day, in: zone, at: place)
        let shift = Int64(offset) * 1000
        return limits.lowerBound + shift...limits.upperBound + shift
    }

    /// The ranges of a day by their starts: none without sun, seldom two.
    ///
    /// - Parameter instant: Ranges whose only run starts at it or before it may be left out.
    private func ranges(of day: Int, after instant: Int64 = .min) -> [DayRange] {
        if let clock = schedule.clock { return [range(of: day, clock)] }
        guard let place else { return [] }
        guard let startTime = schedule.startTimeEachDay else { return ranges(beforeEndOn: day, at: place) }
        return range(of: day, from: startTime, at: place, after: instant).map { [$0] } ?? []
    }

    private func range(of day: Int, _ clock: Schedule.ClockRange) -> DayRange {
        let midnight = Int64(day) * ZoneTable.day
        let end = clock.end.map { zone.instant(ofLocal: midnight + Int64($0) * 1000) }
        return DayRange(
            start: zone.instant(ofLocal: midnight + Int64(clock.start) * 1000),
            end: end,
            limit: end ?? zone.instant(ofLocal: midnight + ZoneTable.day)
        )
    }

    private func range(
        of day: Int,
        from startTime: DayTime,
        at place: GeoPoint,
        after earliest: Int64
    ) -> DayRange? {
        guard var start = instant(of: startTime, on: day, at: place) else { return nil }
        if startsOnce, start <= earliest { return nil }
        guard let endTime = schedule.endTimeEachDay else {
            let midnight = Int64(zone.dayNumber(at: start) + 1) * ZoneTable.day
            return DayRange(start: start, end: nil, limit: zone.instant(ofLocal: midnight))
        }
        // An end not after the start is on the next day; offsets of the sun may move both by a day more.
        for endDay in day...day + 3 {
            if let limits = limits(of: endTime, on: endDay), limits.upperBound <= start { continue }
            guard let end = instant(of: endTime, on: endDay, at: place) else { return nil }
            guard end > start else { continue }
            if let before = schedule.timeBeforeEnd { start = max(start, end - Int64(before.seconds) * 1000) }
            return DayRange(start: start, end: end, limit: end)
        }
        return nil
    }

    /// The ranges that start on a day because they end some time later, by the sun.
    private func ranges(beforeEndOn day: Int, at place: GeoPoint) -> [DayRange] {
        guard let endTime = schedule.endTimeEachDay, let before = schedule.timeBeforeEnd else { return [] }
        guard case .sun(_, let offset) = endTime else { return [] }
        // Less than a day before the end, which is at most a day before or after its date, and the offset
        // apart.
        let endDays = day - (offset > 0 ? 2 : 1)...day + (offset < 0 ? 3 : 2)
        return endDays.compactMap { endDay in
            guard let end = instant(of: endTime, on: endDay, at: place) else { return nil }
            let start = end - Int64(before.seconds) * 1000
            return zone.dayNumber(at: start) == day ? DayRange(start: start, end: end, limit: end) : nil
        }
    }

    private func instant(of time: DayTime, on day: Int, at place: GeoPoint) -> Int64? {
        switch time {
        case .clock(let time):
            return zone.instant(ofLocal: Int64(day) * ZoneTable.day + Int64(time.seconds) * 1000)
        case .sun(let event, let offset):
            return Sun.instant(of: event, onDay: day, in: zone, at: place).map { $0 + Int64(offset) * 1000 }
        }
    }
}
