package import Flare

// MARK: - Occurrences

// Instants are milliseconds since 1970 UTC, those outside the years 1 to 9999 being moved to the border. The
// zone counts unless the schedule is in UTC; the place is needed for the sun only.

extension Schedule {
    /// The first run that starts after an instant; `nil` if there is none, and without a place if it needs
    /// one.
    package func next(after instant: Int64, in zone: ZoneTable, at place: GeoPoint? = nil) -> Occurrence? {
        guard !needsPlace || place != nil else { return nil }
        return ScheduleRuns(self, zone, place).next(after: ZoneTable.clamped(instant))
    }

    /// The last run that starts at an instant or before it.
    ///
    /// - Parameter earliest: Runs that start before it need not be found.
    package func latest(
        through instant: Int64,
        since earliest: Int64 = .min,
        in zone: ZoneTable,
        at place: GeoPoint? = nil
    ) -> Occurrence? {
        guard !needsPlace || place != nil else { return nil }
        let runs = ScheduleRuns(self, zone, place)
        let earliest = ZoneTable.clamped(earliest)
        return runs.latest(through: ZoneTable.clamped(instant), since: earliest)
            .flatMap { $0.start >= earliest ? $0 : nil }
    }

    /// The run within which an instant is: not before its start, and before its end.
    ///
    /// A schedule whose runs have no end contains no instant; see ``hasEnd``.
    package func occurrence(
        containing instant: Int64,
        in zone: ZoneTable,
        at place: GeoPoint? = nil
    ) -> Occurrence? {
        guard hasEnd else { return nil }
        let instant = ZoneTable.clamped(instant)
        // A range is at most four days long: from the sunrise of a day to the sunset of the next, each moved
        // by a day.
        let longest = max(duration ?? 0, 4 * 86_400) * 1000
        let run = latest(through: instant, since: instant - longest, in: zone, at: place)
        return run.flatMap { run in (run.end.map { instant < $0 } ?? false) ? run : nil }
    }
}
