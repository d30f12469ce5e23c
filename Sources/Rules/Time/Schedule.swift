package import JSON

/// When something is due, in the fields of Ayla's schedules.
///
/// - Source: contrib/contract/rules.md, "Schedules".
package struct Schedule: Sendable, Hashable {
    /// The first and last dates of starts; `nil` for no limit.
    package let startDate: CivilDate?
    package let endDate: CivilDate?
    /// 1 to 12; `nil` for all.
    package let monthsOfYear: NumberSet?
    /// 1 to 31, and 32 for the last day of a month; `nil` for all.
    package let daysOfMonth: NumberSet?
    /// 1 is Sunday; `nil` for all.
    package let daysOfWeek: NumberSet?
    /// Which ones of these weekdays in a month: 1 to 5, and 6 for the last; `nil` for all.
    package let dayOccurOfMonth: NumberSet?
    package let startTimeEachDay: DayTime?
    package let endTimeEachDay: DayTime?
    /// How long before ``endTimeEachDay`` a run starts.
    package let timeBeforeEnd: TimeOfDay?
    /// Seconds of a run.
    package let duration: Int64?
    /// Seconds between the starts of repeated runs.
    package let interval: Int64?
    /// Whether its dates and times are those of UTC, whatever the time zone.
    package let utc: Bool
    /// The name of its time zone, such as `Europe/Berlin`; `nil` for the usual one.
    package let timeZone: String?

    /// The days on which runs start.
    let pattern: DayPattern
    /// Start and end by the clock; `nil` if they depend on the sun.
    let clock: ClockRange?

    /// The range of a day, in seconds from its midnight on the clock.
    struct ClockRange: Sendable, Hashable {
        /// May be on the next day, if ``Schedule/timeBeforeEnd`` narrows a night.
        let start: Int
        /// May be on the next day.
        let end: Int?
    }

    /// Whether its runs have an end.
    ///
    /// Repeated runs have one only with a duration: their range limits the starts.
    package var hasEnd: Bool { duration != nil || interval == nil && endTimeEachDay != nil }

    /// Whether it needs a place on the earth: without one it has no occurrences.
    package var needsPlace: Bool { clock == nil }

    /// Numbers of the days of the first and the last start.
    var days: ClosedRange<Int> {
        let first = startDate?.dayNumber ?? CivilDate.dayNumbers.lowerBound
        return first...max(first, endDate?.dayNumber ?? CivilDate.dayNumbers.upperBound)
    }

    /// Seconds of a run, and between the starts of repeated runs: up to 31 days.
    package static let seconds: ClosedRange<Int64> = 1...2_678_400
    /// Bytes of the name of a time zone.
    package static let longestZone = 64

    /// Its members, as they are read.
    package static let memberNames = [
        "startDate", "endDate", "monthsOfYear", "daysOfMonth", "daysOfWeek", "dayOccurOfMonth",
        "startTimeEachDay", "endTimeEachDay", "timeBeforeEnd", "duration", "interval", "utc", "timeZone",
    ]
}

// MARK: - JSON

extension Schedule {
    /// As ``init(_:at:)`` reads it; what is not set is left out.
    package var members: JSONObject {
        var members = JSONObject()
        members["startDate"] = startDate.map { .string($0.description) }
        members["endDate"] = endDate.map { .string($0.description) }
        members["monthsOfYear"] = monthsOfYear.map(Self.list)
        members["daysOfMonth"] = daysOfMonth.map(Self.list)
        members["daysOfWeek"] = daysOfWeek.map(Self.list)
        members["dayOccurOfMonth"] = dayOccurOfMonth.map(Self.list)
        members["startTimeEachDay"] = startTimeEachDay.map { .string($0.description) }
        members["endTimeEachDay"] = endTimeEachDay.map { .string($0.description) }
        members["timeBeforeEnd"] = timeBeforeEnd.map { .string($0.description) }
        members["duration"] = duration.map { JSONValue(Int($0)) }
        members["interval"] = interval.map { JSONValue(Int($0)) }
        members["utc"] = utc ? true : nil
        members["timeZone"] = timeZone.map { .string($0) }
        return members
    }

    private static func list(_ numbers: NumberSet) -> JSONValue {
        .array(numbers.numbers.map { JSONValue($0) })
    }
}
