import Text

/// The time format of Flare: ISO 8601 in UTC with milliseconds.
/// - Source: contrib/contract/flare-protocol.md, "1. Objects".
package enum FlareTime {
    /// The text for milliseconds since 1970-01-01 UTC; years 0 to 9999.
    package static func text(wallMilliseconds: Int64) -> String {
        CivilTime.text(milliseconds: min(max(wallMilliseconds, range.lowerBound), range.upperBound))
    }

    /// The supported times, years 0 to 9999, in milliseconds since 1970-01-01 UTC.
    static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    private static let dayLength: Int64 = 86_400_000

    /// Parses `2016-01-31` or `2016-01-31T12:30[:15[.250]]` with `Z`, an offset, or neither, which means UTC.
    /// - Returns: Milliseconds since 1970-01-01 UTC; `nil` for any other text.
    /// - Source: ISO 8601 as parsed by ECMAScript.
    static func wallMilliseconds(_ text: String) -> Int64? {
        let time = /[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?:Z|([+-][0-9]{2}):?([0-9]{2}))?/
        var rest = String(decoding: text.utf8.prefix(40), as: UTF8.self)[...]
        guard let date = rest.prefixMatch(of: /([0-9]{4})(-[0-9]{2}-[0-9]{2})/), let year = Int(date.1) else {
            return nil
        }
        // The calendar repeats after 400 years, and has no year 0 as the other format sees it.
        let repetitions = year < 9000 ? 1 : 0
        let digits = String(year + 400 * repetitions)
        var text = String(repeating: "0", count: 4 - digits.count) + digits + date.2
        var days: Int64 = -146_097 * Int64(repetitions)
        rest = rest[date.range.upperBound...]
        if !rest.isEmpty {
            guard
                let (_, hour, minute, second, fraction, east, minutesEast) = rest.wholeMatch(of: time)?.output
            else { return nil }
            if hour == "24", minute == "00" { days += 1 }
            text += "T\(hour == "24" && minute == "00" ? "00" : hour):\(minute):\(second ?? "00")"
            text += ".\((fraction ?? "0").prefix(3))" + (east.map { "\($0):\(minutesEast ?? "")" } ?? "Z")
        }
        guard let civil = CivilTime(text) else { return nil }
        let milliseconds = civil.milliseconds + days * dayLength
        return range.contains(milliseconds) ? milliseconds : nil
    }
}
