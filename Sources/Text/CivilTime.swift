/// A time in the Gregorian calendar: milliseconds since 1970-01-01 UTC, within the years 1 to 9999.
package struct CivilTime: Sendable, Hashable, CustomStringConvertible {
    package let milliseconds: Int64

    private static let dayLength: Int64 = 86_400_000

    /// - Parameter milliseconds: Since 1970-01-01 UTC; what lies outside the years 1 to 9999 is moved to the border.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    /// RFC 3339 in UTC with milliseconds: `2026-11-21T10:12:13.456Z`.
    package var description: String { Self.text(milliseconds: milliseconds) }

    /// RFC 3339 in UTC; milliseconds only when they are not zero: `2030-01-01T00:00:00Z`.
    package var shortText: String { milliseconds % 1000 != 0 ? description : description.prefix(19) + "Z" }

    /// The text of a time in the years 0 to 9999.
    package static func text(milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: length) { text in
            write(milliseconds: milliseconds, to: UnsafeMutableRawBufferPointer(text))
            return length
        }
    }

    /// Characters of ``description``.
    package static let length = 24

    /// Writes ``description``.
    package func write(to text: UnsafeMutableRawBufferPointer) {
        Self.write(milliseconds: milliseconds, to: text)
    }

    private static func write(milliseconds: Int64, to text: UnsafeMutableRawBufferPointer) {
        let time = Int((milliseconds % dayLength + dayLength) % dayLength)
        let (year, month, day) = date(ofDay: Int((milliseconds - Int64(time)) / dayLength))
        var place = 0
        func put(_ number: Int, _ width: Int, _ end: Unicode.Scalar) {
            var rest = number
            for index in (place..<place + width).reversed() {
                text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            text[place + width] = UInt8(ascii: end)
            place += width + 1
        }
        put(year, 4, "-")
        put(month, 2, "-")
        put(day, 2, "T")
        put(time / 3_600_000, 2, ":")
        put(time / 60_000 % 60, 2, ":")
        put(time / 1000 % 60, 2, ".")
        put(time % 1000, 3, "Z")
    }

    /// The date of a day counted from 1970-01-01, in the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is the last of its year; 400 of them have 146 097 days.
    package static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
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

    /// The number of a date's day from 1970-01-01, in the years 1 to 9999; the inverse of ``date(ofDay:)``.
    package static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

// MARK: Parsing

extension CivilTime {
    /// What ``init(_:)`` accepts, for messages.
    package static let legalForms = "2030-01-01, 2030-01-01T08:00:00Z or 2030-01-01T08:00:00+01:00"

    /// Parses a date (its first moment in UTC), or RFC 3339 with an offset; `nil` for any other text.
    ///
    /// Fractions of a second are accepted and cut to milliseconds; leap seconds are not.
    package init?(_ text: String) {
        guard text.utf8.count <= 40 else { return nil }
        var rest = Array(text.utf8)[...]
        guard let year = Self.number(&rest, digits: 4), year >= 1, Self.skip(&rest, "-"),
            let month = Self.number(&rest, digits: 2), (1...12).contains(month), Self.skip(&rest, "-"),
            let day = Self.number(&rest, digits: 2), day >= 1, day <= Self.length(ofMonth: month, in: year)
        else { return nil }
        var total = Int64(Self.day(year, month, day)) * Self.dayLength
        if !rest.isEmpty {
            guard let time = Self.time(&rest), let offset = Self.offset(&rest), rest.isEmpty else {
                return nil
            }
            total += time - offset
        }
        self.init(milliseconds: total)
        guard milliseconds == total else { return nil }
    }

    /// Days of a month, 1 to 12.
    package static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// `T08:00:00.5` as milliseconds of the day.
    private static func time(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard skip(&rest, "T"), let hour = number(&rest, digits: 2), hour < 24, skip(&rest, ":"),
            let minute = number(&rest, digits: 2), minute < 60, skip(&rest, ":"),
            let second = number(&rest, digits: 2), second < 60
        else { return nil }
        var milliseconds = 0
        if skip(&rest, ".") {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            var padded = (Array(digits.prefix(3)) + [0x30, 0x30])[...].prefix(3)
            milliseconds = number(&padded, digits: 3) ?? 0
        }
        return Int64(((hour * 60 + minute) * 60 + second) * 1000 + milliseconds)
    }

    /// `Z` or `+01:00` as milliseconds east of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if skip(&rest, "Z") { return 0 }
        let isEast = skip(&rest, "+")
        guard isEast || skip(&rest, "-"), let hours = number(&rest, digits: 2), hours < 24, skip(&rest, ":"),
            let minutes = number(&rest, digits: 2), minutes < 60
        else { return nil }
        let distance = Int64((hours * 60 + minutes) * 60_000)
        return isEast ? distance : -distance
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> Int? {
        guard rest.count >= digits else { return nil }
        var value = 0
        for byte in rest.prefix(digits) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        rest = rest.dropFirst(digits)
        return value
    }
}
