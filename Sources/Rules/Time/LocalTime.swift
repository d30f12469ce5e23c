import Text

/// What clocks in a time zone show at an instant.
package struct LocalTime: Sendable, Hashable {
    package let date: CivilDate
    package let time: TimeOfDay
    /// Seconds east of UTC.
    package let offset: Int

    package init(date: CivilDate, time: TimeOfDay, offset: Int) {
        (self.date, self.time, self.offset) = (date, time, offset)
    }
}

extension LocalTime: CustomStringConvertible {
    /// RFC 3339 with the offset: `2026-03-29T03:00:00+02:00`; seconds of an offset are left out.
    package var description: String {
        let distance = TimeOfDay(seconds: min(abs(offset), 86_399)) ?? .midnight
        return "\(date)T\(time)\(offset < 0 ? "-" : "+")\(distance.description.prefix(5))"
    }
}
