import Text

/// A time zone as a table: from which instant on clocks are how far ahead of UTC.
///
/// After the last transition its offset stays.
package struct ZoneTable: Sendable, Hashable {
    package struct Transition: Sendable, Hashable {
        /// Milliseconds since 1970 UTC.
        package let instant: Int64
        /// Seconds east of UTC from then on.
        package let offset: Int

        package init(instant: Int64, offset: Int) {
            (self.instant, self.offset) = (instant, offset)
        }
    }

    /// Seconds east of UTC before the first transition.
    package let firstOffset: Int
    /// By time; each has another offset than the one before.
    package let transitions: [Transition]

    /// Legal offsets, seconds.
    /// - Source: RFC 9636, section 3.2.
    package static let offsets = -89_999...93_599
    /// More than any offset, milliseconds.
    static let farthest: Int64 = 26 * 3_600_000
    /// Milliseconds of a day of 24 hours.
    static let day: Int64 = 86_400_000

    package static let utc = ZoneTable(verified: 0, [])

    /// A zone that never changes its clocks.
    ///
    /// - Parameter seconds: East of UTC.
    /// - Returns: `nil` for an offset that is not in ``offsets``.
    package init?(offset seconds: Int) {
        self.init(firstOffset: seconds, transitions: [])
    }

    /// - Returns: `nil` unless the transitions have rising times in the years 1 to 9999 and legal offsets.
    package init?(firstOffset: Int, transitions: [Transition]) {
        guard Self.offsets ~= firstOffset else { return nil }
        var before = Int64.min
        for transition in transitions {
            guard transition.instant > before, transition.instant == Self.clamped(transition.instant),
                Self.offsets ~= transition.offset
            else { return nil }
            before = transition.instant
        }
        self.init(verified: firstOffset, transitions)
    }

    /// Leaves out transitions that do not change the offset.
    init(verified firstOffset: Int, _ transitions: [Transition]) {
        self.firstOffset = firstOffset
        var offset = firstOffset
        self.transitions = transitions.filter { transition in
            defer { offset = transition.offset }
            return transition.offset != offset
        }
    }

    /// An instant within the years 1 to 9999, with which arithmetic cannot overflow.
    static func clamped(_ instant: Int64) -> Int64 { CivilTime(milliseconds: instant).milliseconds }
}

// MARK: - Conversions

extension ZoneTable {
    /// Seconds east of UTC at an instant, milliseconds since 1970.
    package func offset(at instant: Int64) -> Int { Int(shift(ofPeriod: period(at: instant)) / 1000) }

    /// What clocks show at an instant, milliseconds since 1970.
    ///
    /// Instants outside the years 1 to 9999 are moved to the border.
    package func local(at instant: Int64) -> LocalTime {
        let instant = Self.clamped(instant)
        let shift = shift(ofPeriod: period(at: instant))
        let local = instant + shift
        let day = Self.dayNumber(ofLocal: local)
        let seconds = Int((local - Int64(day) * Self.day) / 1000)
        return LocalTime(
            date: CivilDate(dayNumber: day),
            time: TimeOfDay(seconds: seconds) ?? .midnight,
            offset: Int(shift / 1000)
        )
    }

    /// The instant of a local time, milliseconds since 1970.
    ///
    /// A time that clocks skip is the end of the gap; of a time that they show twice, the first is meant.
    /// - Source: contrib/contract/rules.md, "Schedules".
    package func instant(of date: CivilDate, _ time: TimeOfDay) -> Int64 {
        instant(ofLocal: Int64(date.dayNumber) * Self.day + Int64(time.seconds) * 1000)
    }
}

// MARK: - Local milliseconds

// A local time is counted in milliseconds from 1970-01-01T00:00:00 on the clock, as if it were UTC. A period
// is the time between two transitions; 0 is the one before the first.

extension ZoneTable {
    func period(at instant: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].instant <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// How far clocks are ahead of UTC, milliseconds.
    func shift(ofPeriod period: Int) -> Int64 {
        Int64(period == 0 ? firstOffset : transitions[period - 1].offset) * 1000
    }

    /// `nil` for the first period.
    func start(ofPeriod period: Int) -> Int64? { period == 0 ? nil : transitions[period - 1].instant }

    /// `nil` for the last period.
    func end(ofPeriod period: Int) -> Int64? {
        period < transitions.count ? transitions[period].instant : nil
    }

    /// The first instant at which clocks show this time or a later one.
    ///
    /// That is the time itself, the first of two, or the end of the gap that has it; a later local time never
    /// has an earlier instant.
    func instant(ofLocal local: Int64) -> Int64 {
        var period = period(at: local - Self.farthest)
        while let end = end(ofPeriod: period), end + shift(ofPeriod: period) <= local { period += 1 }
        let instant = local - shift(ofPeriod: period)
        return start(ofPeriod: period).map { max($0, instant) } ?? instant
    }

    /// The latest local time that clocks have shown up to an instant.
    ///
    /// The instants of local times up to this one are past, those of later ones are to come.
    func latestLocal(through instant: Int64) -> Int64 {
        var period = period(at: instant)
        var latest = instant + shift(ofPeriod: period)
        while let start = start(ofPeriod: period), start > instant - 2 * Self.farthest {
            period -= 1
            latest = max(latest, start + shift(ofPeriod: period) - 1)
        }
        return latest
    }

    /// The day on the clock at an instant, counted from 1970-01-01.
    func dayNumber(at instant: Int64) -> Int {
        Self.dayNumber(ofLocal: instant + shift(ofPeriod: period(at: instant)))
    }

    static func dayNumber(ofLocal local: Int64) -> Int {
        Int(local / day) - (local % day < 0 ? 1 : 0)
    }
}
