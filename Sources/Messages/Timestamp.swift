package import Controller

/// A civil time as messages write it: RFC 3339, UTC, milliseconds.
package struct Timestamp: Sendable, Hashable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01 UTC, within the years 1 to 9999.
    private let milliseconds: Int64

    /// - Parameter milliseconds: Since 1970-01-01 UTC; what lies outside the years 1 to 9999 is moved to the border.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    package init(_ moment: Instant) {
        self.init(milliseconds: moment.wallMilliseconds)
    }

    /// `2026-11-21T10:12:13.456Z`.
    package var description: String {
        let dayLength: Int64 = 86_400_000
        let time = Int((milliseconds % dayLength + dayLength) % dayLength)
        let (year, month, day) = Self.date(ofDay: Int((milliseconds - Int64(time)) / dayLength))
        let (hour, minute) = (time / 3_600_000, time / 60_000 % 60)
        let (second, fraction) = (time / 1000 % 60, time % 1000)
        return pad(year, 4) + "-" + pad(month) + "-" + pad(day) + "T" + pad(hour) + ":" + pad(minute) + ":"
            + pad(second) + "." + pad(fraction, 3) + "Z"
    }

    private func pad(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    /// The date of a day counted from 1970-01-01, in the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is the last of its year; 400 of them have 146 097 days.
    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}

extension Instant {
    /// RFC 3339, UTC, with milliseconds.
    package var timestamp: String { Timestamp(self).description }
}
