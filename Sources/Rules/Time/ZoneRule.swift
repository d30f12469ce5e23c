import Text

/// The yearly rule of a time zone, as in the variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// - Source: POSIX.1-2024, section 8.3, with hours from -167 to 167 as in RFC 9636, section 3.3.1.
struct ZoneRule: Sendable, Hashable {
    /// Seconds east of UTC.
    let standardOffset: Int
    /// `nil` for a zone without daylight saving time.
    let daylight: Daylight?

    struct Daylight: Sendable, Hashable {
        /// Seconds east of UTC.
        let offset: Int
        /// By the clock of standard time.
        let start: YearlyTime
        /// By the clock of daylight saving time.
        let end: YearlyTime
    }

    /// A time in each year.
    struct YearlyTime: Sendable, Hashable {
        enum Day: Sendable, Hashable {
            /// `Jn`: 1 to 365, without 29 February.
            case withoutLeapDay(Int)
            /// `n`: 0 to 365, with 29 February.
            case withLeapDay(Int)
            /// `Mm.w.d`: the weekday (0 is Sunday) of week 1 to 5 of a month; week 5 is the last.
            case weekday(month: Int, week: Int, weekday: Int)
        }

        let day: Day
        /// Seconds from the day's midnight; may be below 0 or more than a day.
        let seconds: Int
    }

    /// Bytes of the longest rule.
    static let maximumLength = 200
}

// MARK: - Transitions

extension ZoneRule {
    /// Seconds east of UTC before a transition of the rule: south of the equator a year begins in summer.
    func offset(before transition: ZoneTable.Transition?) -> Int {
        guard let daylight, let transition, transition.offset == standardOffset else { return standardOffset }
        return daylight.offset
    }

    /// The table, continued by the rule.
    ///
    /// - Parameters:
    ///   - known: Transitions that are known; those of the rule follow the last of them.
    ///   - first: The first year with transitions if none is known.
    ///   - last: The last year with transitions.
    func transitions(
        after known: [ZoneTable.Transition],
        from first: Int = 1900,
        until last: Int
    ) -> [ZoneTable.Transition] {
        guard let daylight else { return known }
        let latest = known.last?.instant ?? .min
        // The rule of a year may act in the year before or after it.
        let start = known.last.map { CivilDate(dayNumber: ZoneTable.dayNumber(ofLocal: $0.instant)).year - 1 }
        let firstYear = min(max(start ?? first, 1), 9999)
        var transitions: [ZoneTable.Transition] = []
        for year in firstYear...max(firstYear, min(last, ZoneTable.lastYear)) {
            let on = daylight.start.local(in: year) - Int64(standardOffset)
            let off = daylight.end.local(in: year) - Int64(daylight.offset)
            transitions.append(.init(instant: off * 1000, offset: standardOffset))
            transitions.append(.init(instant: on * 1000, offset: daylight.offset))
        }
        // Of two at the same instant the start of daylight saving time is the later: one year's may follow
        // another's.
        transitions.sort {
            ($0.instant, $0.offset == daylight.offset ? 1 : 0)
                < ($1.instant, $1.offset == daylight.offset ? 1 : 0)
        }
        var table = known
        for transition in transitions where transition.instant > latest {
            guard ZoneTable.clamped(transition.instant) == transition.instant else { continue }
            if let before = table.last, before.instant == transition.instant { table.removeLast() }
            table.append(transition)
        }
        return table
    }
}

extension ZoneRule.YearlyTime {
    /// Seconds from 1970-01-01 on the clock.
    func local(in year: Int) -> Int64 { Int64(dayNumber(in: year)) * 86_400 + Int64(seconds) }

    private func dayNumber(in year: Int) -> Int {
        let newYear = CivilTime.day(year, 1, 1)
        switch day {
        case .withLeapDay(let day): return newYear + day
        case .withoutLeapDay(let day):
            let isLeap = CivilTime.length(ofMonth: 2, in: year) == 29
            return newYear + day - 1 + (isLeap && day > 59 ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            let first = CivilTime.day(year, month, 1)
            let length = CivilTime.length(ofMonth: month, in: year)
            let until = (weekday + 1 - CivilDate.weekday(ofDay: first) + 7) % 7
            let inFirstWeek = first + until
            let wanted = inFirstWeek + 7 * (week - 1)
            return wanted < first + length ? wanted : wanted - 7
        }
    }
}

// MARK: - Reading

extension ZoneRule {
    /// - Returns: `nil` for what is not legal, as for daylight saving time without its dates.
    init?(_ text: String) { self.init(text.utf8) }

    init?(_ text: some Collection<UInt8>) {
        guard text.count <= Self.maximumLength else { return nil }
        var reader = ZoneRuleReader(text)
        guard reader.name(), let west = reader.time(hours: 24), Self.isLegal(-west) else { return nil }
        standardOffset = -west
        if reader.isAtEnd {
            daylight = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = standardOffset + 3600
        if !reader.isNext(",") {
            guard let west = reader.time(hours: 24) else { return nil }
            offset = -west
        }
        guard Self.isLegal(offset), reader.skip(","), let start = reader.yearlyTime(), reader.skip(","),
            let end = reader.yearlyTime(), reader.isAtEnd
        else { return nil }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    private static func isLegal(_ offset: Int) -> Bool { ZoneTable.offsets ~= offset }
}

/// Reads the parts of a rule.
private struct ZoneRuleReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: some Collection<UInt8>) { rest = Array(text)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    func isNext(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Skips a name: three or more letters, or letters, digits and signs in angle brackets.
    mutating func name() -> Bool {
        let isQuoted = skip("<")
        let name = rest.prefix { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isOther = Self.digits ~= byte || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            return isLetter || isQuoted && isOther
        }
        rest = rest.dropFirst(name.count)
        return name.count >= 3 && (!isQuoted || skip(">"))
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// A number of at most three digits.
    private mutating func number(_ legal: ClosedRange<Int>) -> Int? {
        let found = rest.prefix { Self.digits ~= $0 }
        guard 1...3 ~= found.count else { return nil }
        rest = rest.dropFirst(found.count)
        let value = found.reduce(0) { $0 * 10 + Int($1 - Self.digits.lowerBound) }
        return legal ~= value ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` as seconds.
    mutating func time(hours: Int) -> Int? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard let hours = number(0...hours) else { return nil }
        var seconds = hours * 3600
        if skip(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if skip(":") {
                guard let more = number(0...59) else { return nil }
                seconds += more
            }
        }
        return isNegative ? -seconds : seconds
    }

    /// A day, and its time after a slash; 02:00:00 without one.
    mutating func yearlyTime() -> ZoneRule.YearlyTime? {
        guard let day = yearlyDay() else { return nil }
        guard skip("/") else { return .init(day: day, seconds: 7200) }
        return time(hours: 167).map { .init(day: day, seconds: $0) }
    }

    private mutating func yearlyDay() -> ZoneRule.YearlyTime.Day? {
        if skip("J") { return number(1...365).map { .withoutLeapDay($0) } }
        guard skip("M") else { return number(0...365).map { .withLeapDay($0) } }
        guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
            let weekday = number(0...6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }
}
