extension FlareTime {
    /// The supported times, years 0 to 9999, in milliseconds since 1970-01-01 UTC.
    static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Parses `2016-01-31` or `2016-01-31T12:30[:15[.250]]` with `Z`, an offset, or neither, which means UTC.
    /// - Returns: Milliseconds since 1970-01-01 UTC; `nil` for any other text.
    /// - Source: ISO 8601 as parsed by ECMAScript.
    static func wallMilliseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8.prefix(40))[...]
        guard let year = digits(4, &rest), skip("-", &rest), let month = digits(2, &rest), skip("-", &rest),
            let day = digits(2, &rest), let days = days(year: year, month: month, day: day)
        else { return nil }
        var milliseconds = Int64(days) * 86_400_000
        if skip("T", &rest) || skip(" ", &rest) {
            guard let hour = digits(2, &rest), skip(":", &rest), let minute = digits(2, &rest),
                hour < 24 && minute < 60 || hour == 24 && minute == 0
            else { return nil }
            milliseconds += Int64(hour * 60 + minute) * 60_000
            if skip(":", &rest) {
                guard let second = digits(2, &rest), second < 60 else { return nil }
                milliseconds += Int64(second) * 1000
                if skip(".", &rest) {
                    guard let fraction = fraction(&rest) else { return nil }
                    milliseconds += fraction
                }
            }
            guard let offset = offset(&rest) else { return nil }
            milliseconds -= offset
        }
        return rest.isEmpty && range.contains(milliseconds) ? milliseconds : nil
    }

    private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let text = rest.prefix(count)
        guard text.count == count, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return text.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func skip(_ mark: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Digits after the point, truncated to milliseconds.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        let text = rest.prefix { (48...57).contains($0) }
        guard !text.isEmpty else { return nil }
        rest = rest.dropFirst(text.count)
        return (0..<3).reduce(Int64(0)) { value, index in
            value * 10 + (index < text.count ? Int64(text[text.startIndex + index] - 48) : 0)
        }
    }

    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if rest.isEmpty || skip("Z", &rest) { return 0 }
        let sign: Int64
        if skip("+", &rest) { sign = 1 } else if skip("-", &rest) { sign = -1 } else { return nil }
        guard let hour = digits(2, &rest), hour < 24 else { return nil }
        _ = skip(":", &rest)
        guard let minute = digits(2, &rest), minute < 60 else { return nil }
        return sign * Int64(hour * 60 + minute) * 60_000
    }

    /// Days since 1970-01-01; `nil` for a date that does not exist.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let earlier = year + 399
        let leapDays = earlier / 4 - earlier / 100 + earlier / 400
        let dayOfYear = lengths.prefix(month - 1).reduce(day - 1, +)
        // 865,624 is the result for 1970-01-01.
        return (year + 400) * 365 + leapDays + dayOfYear - 865_624
    }
}
