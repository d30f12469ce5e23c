import Text

/// The days that lists of months, days of the month and weekdays choose.
///
/// A search goes from month to month and finds the days of a month with a few operations on bits.
struct DayPattern: Sendable, Hashable {
    /// 1 to 12.
    var months = NumberSet(1...12)
    /// 1 to 31, and 32 for the last day of the month; `nil` for all.
    var days: NumberSet?
    /// 1 is Sunday; `nil` for all.
    var weekdays: NumberSet?
    /// Which ones of a weekday in the month: 1 to 5, and 6 for the last; `nil` for all.
    var occurrences: NumberSet?
    /// Whether a day of ``days`` or of ``weekdays`` suffices, instead of both.
    var isEither = false

    /// Days of 400 years, after which the calendar repeats with its weekdays.
    static let cycle = 146_097

    func contains(_ day: Int) -> Bool { next(onOrAfter: day, through: day) == day }

    /// The first chosen day of a range.
    ///
    /// Days are counted from 1970-01-01; those outside the years 1 to 9999 are never chosen.
    func next(onOrAfter day: Int, through last: Int) -> Int? {
        let day = max(day, CivilDate.dayNumbers.lowerBound)
        let last = min(last, CivilDate.dayNumbers.upperBound)
        guard day <= last, let january = months.first(from: 1) else { return nil }
        var (year, month, from) = CivilTime.date(ofDay: day)
        while true {
            if months.contains(month) {
                let first = CivilTime.day(year, month, 1)
                guard first <= last else { return nil }
                let start = UInt64(from - 1)
                let rest = (chosen(year, month, first) >> start) << start
                if rest != 0 {
                    let found = first + rest.trailingZeroBitCount
                    return found <= last ? found : nil
                }
            }
            from = 1
            if let following = months.first(from: month + 1) {
                month = following
            } else {
                (year, month) = (year + 1, january)
            }
            guard year <= 9999 else { return nil }
        }
    }

    /// The last chosen day of a range.
    func previous(onOrBefore day: Int, from first: Int) -> Int? {
        let day = min(day, CivilDate.dayNumbers.upperBound)
        let first = max(first, CivilDate.dayNumbers.lowerBound)
        guard first <= day, let december = months.last(through: 12) else { return nil }
        var (year, month, through) = CivilTime.date(ofDay: day)
        while true {
            let start = CivilTime.day(year, month, 1)
            if months.contains(month) {
                let unused = UInt64(64 - through)
                let rest = (chosen(year, month, start) << unused) >> unused
                if rest != 0 {
                    let found = start + 63 - rest.leadingZeroBitCount
                    return found >= first ? found : nil
                }
            }
            guard start > first else { return nil }
            through = 31
            if let preceding = months.last(through: month - 1) {
                month = preceding
            } else {
                (year, month) = (year - 1, december)
            }
            guard year >= 1 else { return nil }
        }
    }

    /// The chosen days of a month, a bit each; bit 0 is the first day.
    ///
    /// - Parameter first: The number of the month's first day.
    private func chosen(_ year: Int, _ month: Int, _ first: Int) -> UInt64 {
        let length = CivilTime.length(ofMonth: month, in: year)
        let all: UInt64 = 1 << UInt64(length) - 1
        var byDay = all
        if let days {
            byDay = days.bits >> 1 & all
            if days.contains(32) { byDay |= 1 << UInt64(length - 1) }
        }
        var byWeekday = all
        if let weekdays {
            let week = weekdays.bits >> 1 & 0x7F
            let turn = UInt64(CivilDate.weekday(ofDay: first) - 1)
            let fromFirst = (week >> turn | week << (7 - turn)) & 0x7F
            // Repeats the seven bits for five weeks.
            byWeekday = fromFirst &* 0x1020_4081
        }
        var chosen = isEither && days != nil && weekdays != nil ? byDay | byWeekday : byDay & byWeekday
        if let occurrences {
            var byOccurrence: UInt64 = occurrences.contains(6) ? all ^ (all >> 7) : 0
            for week in 1...5 where occurrences.contains(week) {
                byOccurrence |= 0x7F << UInt64(7 * (week - 1))
            }
            chosen &= byOccurrence
        }
        return chosen & all
    }
}
