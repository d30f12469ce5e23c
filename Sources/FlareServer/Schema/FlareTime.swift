/// The time format of Flare: ISO 8601 in UTC with milliseconds.
/// - Source: contrib/contract/flare-protocol.md, "1. Objects".
package enum FlareTime {
    /// The text for milliseconds since 1970-01-01 UTC; years 0 to 9999.
    package static func text(wallMilliseconds: Int64) -> String {
        let clamped = min(max(wallMilliseconds, range.lowerBound), range.upperBound)
        let milliseconds = clamped - range.lowerBound
        let (days, ofDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = date(daysSinceYearZero: Int(days))
        let seconds = Int(ofDay / 1000)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
            + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
            + "." + padded(Int(ofDay % 1000), 3) + "Z"
    }

    /// The proleptic Gregorian date of a number of days after 0000-01-01.
    private static func date(daysSinceYearZero days: Int) -> (year: Int, month: Int, day: Int) {
        // Years are counted from 1 March of the year -400, so that the leap day is the last of its year.
        let shifted = days - 60 + 146_097
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = era * 400 + yearOfEra - 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
