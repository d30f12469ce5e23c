package import JSON
import Text
package import Things

extension Schedule {
    /// Reads a schedule; members that are not its own are ignored, and null counts as absent.
    ///
    /// - Parameters:
    ///   - members: With names in camelCase.
    ///   - path: Where the object is in the rule, such as `when[0]`; empty for the rule itself.
    /// - Throws: `wrong_type` and `invalid_value`, the latter also for a schedule without any occurrence.
    package init(_ members: JSONObject, at path: String) throws(Refusal) {
        let reader = ScheduleReader(members: members, path: path)
        startDate = try reader.date("startDate")
        endDate = try reader.date("endDate")
        monthsOfYear = try reader.numbers("monthsOfYear", 1...12)
        daysOfMonth = try reader.numbers("daysOfMonth", 1...32)
        daysOfWeek = try reader.numbers("daysOfWeek", 1...7)
        dayOccurOfMonth = try reader.numbers("dayOccurOfMonth", 1...6)
        startTimeEachDay = try reader.dayTime("startTimeEachDay")
        endTimeEachDay = try reader.dayTime("endTimeEachDay")
        timeBeforeEnd = try reader.timeBeforeEnd("timeBeforeEnd")
        duration = try reader.seconds("duration")
        interval = try reader.seconds("interval")
        utc = try reader.flag("utc") ?? false
        timeZone = try reader.zone("timeZone")
        clock = Self.clock(startTimeEachDay, endTimeEachDay, before: timeBeforeEnd)
        var pattern = DayPattern()
        pattern.months = monthsOfYear ?? pattern.months
        (pattern.days, pattern.weekdays) = (daysOfMonth, daysOfWeek)
        pattern.occurrences = dayOccurOfMonth
        self.pattern = pattern
        try checkTimes(reader)
        try checkDates(reader)
    }

    private func checkTimes(_ reader: ScheduleReader) throws(Refusal) {
        if timeBeforeEnd != nil, endTimeEachDay == nil {
            throw reader.invalid("endTimeEachDay", "is missing; timeBeforeEnd needs it")
        }
        guard startTimeEachDay != nil || timeBeforeEnd != nil else {
            throw reader.invalid(
                "startTimeEachDay",
                "is missing; it must be \(DayTime.legalForm), or timeBeforeEnd must give the start"
            )
        }
        if let interval, let duration, interval < duration {
            throw reader.invalid(
                "interval",
                "must be at least duration, which is \(duration) seconds; is \(interval)"
            )
        }
    }

    private func checkDates(_ reader: ScheduleReader) throws(Refusal) {
        if let startDate, let endDate, endDate < startDate {
            throw reader.invalid(
                "endDate",
                "must not be before startDate, which is \(startDate); is \(endDate)"
            )
        }
        let last = endDate?.dayNumber
        // Without a first date any will do, since the calendar repeats.
        let first = startDate?.dayNumber ?? last.map { $0 - DayPattern.cycle } ?? 0
        guard pattern.next(onOrAfter: first, through: min(last ?? .max, first + DayPattern.cycle)) == nil
        else { return }
        let lists = [
            ("daysOfMonth", daysOfMonth), ("dayOccurOfMonth", dayOccurOfMonth), ("daysOfWeek", daysOfWeek),
            ("monthsOfYear", monthsOfYear),
        ]
        let name = lists.first { $0.1 != nil }?.0 ?? "endDate"
        throw reader.invalid(name, "never occurs: no date fits all dates, months and days of the schedule")
    }

    /// The range by the clock; `nil` if it depends on the sun, or has no start.
    private static func clock(_ start: DayTime?, _ end: DayTime?, before: TimeOfDay?) -> ClockRange? {
        let startTime: TimeOfDay?
        let endTime: TimeOfDay?
        switch (start, end) {
        case (.sun, _), (_, .sun): return nil
        case (.clock(let start), .clock(let end)): (startTime, endTime) = (start, end)
        case (.clock(let start), nil): (startTime, endTime) = (start, nil)
        case (nil, .clock(let end)): (startTime, endTime) = (nil, end)
        case (nil, nil): return nil
        }
        guard let endTime else { return startTime.map { ClockRange(start: $0.seconds, end: nil) } }
        let day = 86_400
        let before = before?.seconds
        // Dates are those of the start, also if only the end is given.
        let fromEnd = before.map { (endTime.seconds - $0 + day) % day }
        guard let first = startTime?.seconds ?? fromEnd else { return nil }
        let end = endTime.seconds > first ? endTime.seconds : endTime.seconds + day
        return ClockRange(start: before.map { max(first, end - $0) } ?? first, end: end)
    }
}

/// The members of a schedule, and refusals that name them by their path.
private struct ScheduleReader: ReceivedMembers {
    let members: JSONObject
    let path: String

    func found(_ name: String) -> (key: String, value: JSONValue)? {
        members[name].flatMap { $0.isNull ? nil : (name, $0) }
    }

    func invalid(_ name: String, _ rest: String) -> Refusal { refusal(.invalidValue, of: name, rest) }

    /// A text that a function parses.
    private func parsed<Value>(
        _ name: String,
        _ legal: String,
        _ parse: (String) -> Value?
    ) throws(Refusal) -> Value? {
        guard let value = optional(name) else { return nil }
        guard let text = value.string else { throw wrongType(name, value, legal) }
        guard let result = parse(text) else { throw invalid(name, value, legal) }
        return result
    }

    func date(_ name: String) throws(Refusal) -> CivilDate? {
        try parsed(name, CivilDate.legalForm) { CivilDate($0) }
    }

    func dayTime(_ name: String) throws(Refusal) -> DayTime? {
        try parsed(name, DayTime.legalForm) { DayTime($0) }
    }

    func timeBeforeEnd(_ name: String) throws(Refusal) -> TimeOfDay? {
        try parsed(name, "HH:mm:ss, from 00:00:01 to 23:59:59") { text in
            TimeOfDay(text).flatMap { $0.seconds > 0 ? $0 : nil }
        }
    }

    func zone(_ name: String) throws(Refusal) -> String? {
        try parsed(name, "the name of a time zone, such as Europe/Berlin") { text in
            Schedule.isZoneName(text) ? text : nil
        }
    }

    func flag(_ name: String) throws(Refusal) -> Bool? {
        guard let value = optional(name) else { return nil }
        guard let flag = value.bool else { throw wrongType(name, value, "true or false") }
        return flag
    }

    func seconds(_ name: String) throws(Refusal) -> Int64? {
        guard let value = optional(name) else { return nil }
        let range = Schedule.seconds
        let legal = "whole seconds from \(range.lowerBound) to \(range.upperBound)"
        guard value.number != nil else { throw wrongType(name, value, legal) }
        guard let whole = value.integer.map(Int64.init), range ~= whole else {
            throw invalid(name, value, legal)
        }
        return whole
    }

    func numbers(_ name: String, _ range: ClosedRange<Int>) throws(Refusal) -> NumberSet? {
        guard let value = optional(name) else { return nil }
        let legal = "a list of whole numbers from \(range.lowerBound) to \(range.upperBound)"
        guard let list = value.array else { throw wrongType(name, value, legal) }
        guard 1...range.count ~= list.count else {
            throw invalid(name, "must have 1 to \(range.count) numbers, has \(list.count)")
        }
        var numbers = NumberSet()
        for (index, item) in list.enumerated() {
            let place = "\(name)[\(index)]"
            let legal = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            guard item.number != nil else { throw wrongType(place, item, legal) }
            guard let number = item.integer, range ~= number else { throw invalid(place, item, legal) }
            numbers.insert(number)
        }
        return numbers
    }
}

extension Schedule {
    /// Whether a text can be the name of a time zone; whether there is such a zone is for the system to say.
    ///
    /// No name leads out of the folder of time zones.
    package static func isZoneName(_ text: String) -> Bool {
        guard 1...longestZone ~= text.utf8.count else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            guard let first = part.first, first != UInt8(ascii: "-") else { return false }
            return part.allSatisfy { byte in
                let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                return isLetter || isDigit || "_+-".utf8.contains(byte)
            }
        }
    }
}
