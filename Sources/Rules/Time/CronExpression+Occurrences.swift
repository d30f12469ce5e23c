// MARK: - Occurrences

// Instants are milliseconds since 1970 UTC, those outside the years 1 to 9999 being moved to the border.
// Local times are counted likewise from 1970-01-01T00:00:00 on the clock.

extension CronExpression {
    private static let minute: Int64 = 60_000

    /// The first time after an instant.
    ///
    /// Fixed hours that clocks skip come once at the end of the gap, and of two the first comes only; hours
    /// with a star come whenever clocks show them.
    /// - Returns: `nil` only at the end of the year 9999.
    /// - Source: cron(8), "Daylight Saving Time and other time changes".
    package func next(after instant: Int64, in zone: ZoneTable) -> Int64? {
        let instant = ZoneTable.clamped(instant)
        guard followsRealTime else {
            let local = zone.latestLocal(through: instant) + 1
            return self.local(onOrAfter: local).map(zone.instant(ofLocal:))
        }
        return shown(from: instant + 1, in: zone)
    }

    /// The last time at an instant or before it.
    ///
    /// - Returns: `nil` only at the beginning of the year 1.
    package func latest(through instant: Int64, in zone: ZoneTable) -> Int64? {
        let instant = ZoneTable.clamped(instant)
        guard followsRealTime else {
            return local(onOrBefore: zone.latestLocal(through: instant)).map(zone.instant(ofLocal:))
        }
        return shown(through: instant, in: zone)
    }

    /// The first instant at which clocks show a time of the expression.
    private func shown(from first: Int64, in zone: ZoneTable) -> Int64? {
        var first = first
        var period = zone.period(at: first)
        while true {
            let shift = zone.shift(ofPeriod: period)
            guard let local = local(onOrAfter: first + shift) else { return nil }
            guard let end = zone.end(ofPeriod: period), local - shift >= end else { return local - shift }
            // Times that clocks may show before the local one, even if they are set back, are not of the
            // expression.
            let sure = local - ZoneTable.farthest
            if sure > end, self.local(onOrAfter: first + shift - Self.slack) == local {
                first = sure
                period = zone.period(at: first)
            } else {
                first = end
                period += 1
            }
        }
    }

    /// The last instant at which clocks showed a time of the expression.
    private func shown(through last: Int64, in zone: ZoneTable) -> Int64? {
        var last = last
        var period = zone.period(at: last)
        while true {
            let shift = zone.shift(ofPeriod: period)
            guard let local = local(onOrBefore: last + shift) else { return nil }
            guard let start = zone.start(ofPeriod: period), local - shift < start else {
                return local - shift
            }
            let sure = local + ZoneTable.farthest
            if sure < start, self.local(onOrBefore: last + shift + Self.slack) == local {
                last = sure
                period = zone.period(at: last)
            } else {
                last = start - 1
                period -= 1
            }
        }
    }

    /// How far local times of two offsets may be apart.
    private static let slack = 2 * ZoneTable.farthest

    // MARK: Local times

    /// The first local time of the expression that is at least this one.
    private func local(onOrAfter local: Int64) -> Int64? {
        let limit = Self.minute - 1
        let minutes = (local + limit) / Self.minute - ((local + limit) % Self.minute < 0 ? 1 : 0)
        let today = ZoneTable.dayNumber(ofLocal: minutes * Self.minute)
        let minute = Int(minutes - Int64(today) * 1440)
        guard let day = pattern.next(onOrAfter: today, through: today + DayPattern.cycle) else { return nil }
        if day > today { return Self.local(day, first) }
        if let time = time(onOrAfter: minute) { return Self.local(day, time) }
        return pattern.next(onOrAfter: today + 1, through: today + DayPattern.cycle)
            .flatMap { Self.local($0, first) }
    }

    /// The last local time of the expression that is at most this one.
    private func local(onOrBefore local: Int64) -> Int64? {
        let today = ZoneTable.dayNumber(ofLocal: local)
        let minute = Int((local - Int64(today) * ZoneTable.day) / Self.minute)
        guard let day = pattern.previous(onOrBefore: today, from: today - DayPattern.cycle) else {
            return nil
        }
        if day < today { return Self.local(day, last) }
        if let time = time(onOrBefore: minute) { return Self.local(day, time) }
        return pattern.previous(onOrBefore: today - 1, from: today - DayPattern.cycle)
            .flatMap { Self.local($0, last) }
    }

    private static func local(_ day: Int, _ minute: Int?) -> Int64? {
        minute.map { Int64(day) * ZoneTable.day + Int64($0) * Self.minute }
    }

    // Times of a day, in minutes.

    private var first: Int? { time(onOrAfter: 0) }
    private var last: Int? { time(onOrBefore: 1439) }

    private func time(onOrAfter minute: Int) -> Int? {
        let hour = minute / 60
        if hours.contains(hour), let found = minutes.first(from: minute % 60) { return hour * 60 + found }
        guard let later = hours.first(from: hour + 1), let found = minutes.first(from: 0) else { return nil }
        return later * 60 + found
    }

    private func time(onOrBefore minute: Int) -> Int? {
        let hour = minute / 60
        if hours.contains(hour), let found = minutes.last(through: minute % 60) { return hour * 60 + found }
        guard let earlier = hours.last(through: hour - 1), let found = minutes.last(through: 59) else {
            return nil
        }
        return earlier * 60 + found
    }
}
