import Text

/// A time of a day, or a length of time below a day, in whole seconds.
package struct TimeOfDay: Sendable, Hashable {
    /// Seconds since midnight, below 86,400.
    package let seconds: Int

    /// What ``init(_:)`` accepts, for messages.
    package static let legalForm = "HH:mm:ss, from 00:00:00 to 23:59:59"

    /// - Returns: `nil` unless the seconds are from 0 to 86,399.
    package init?(seconds: Int) {
        guard 0..<86_400 ~= seconds else { return nil }
        self.seconds = seconds
    }

    /// Parses `HH:mm:ss`; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(9))
        let colon = UInt8(ascii: ":")
        guard bytes.count == 8, bytes[2] == colon, bytes[5] == colon,
            let hours = Self.number(bytes[0], bytes[1]), hours < 24,
            let minutes = Self.number(bytes[3], bytes[4]), minutes < 60,
            let seconds = Self.number(bytes[6], bytes[7]), seconds < 60
        else { return nil }
        self.seconds = (hours * 60 + minutes) * 60 + seconds
    }

    private static func number(_ tens: UInt8, _ ones: UInt8) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits ~= tens, digits ~= ones else { return nil }
        return Int(tens - digits.lowerBound) * 10 + Int(ones - digits.lowerBound)
    }

    package static let midnight = TimeOfDay(verified: 0)

    private init(verified seconds: Int) { self.seconds = seconds }
}

extension TimeOfDay: Comparable {
    package static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.seconds < right.seconds }
}

extension TimeOfDay: CustomStringConvertible {
    /// `HH:mm:ss`.
    package var description: String {
        String(CivilTime.text(milliseconds: Int64(seconds) * 1000).dropFirst(11).prefix(8))
    }
}
