extension Schedule {
    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let occurrences = ["first", "second", "third", "fourth", "fifth", "last"]

    /// When it begins: `at 08:00 on Monday (until 20:00)`.
    var dueWords: String {
        guard let interval else {
            let end = startTimeEachDay == nil ? nil : endTimeEachDay?.words
            return atWords + days(orElse: " every day") + details(lengthWords(until: end))
        }
        let until = endTimeEachDay?.words ?? "midnight"
        let range = "every \(Words.duration(interval)) from \(startWords) until \(until)"
        return range + days(orElse: "") + details(duration.map { "for \(Words.duration($0)) each time" })
    }

    /// What holds within it: `it is between 08:00 and 20:00 on Monday`.
    var rangeWords: String {
        let end = endTimeEachDay?.words
        let range: String
        switch (duration, interval) {
        case (let duration?, let interval?):
            range =
                "in the first \(Words.duration(duration)) of every \(Words.duration(interval)) from "
                + "\(startWords) until \(end ?? "midnight")"
        case (let duration?, nil):
            let last = end.map { ", until \($0) at the latest," } ?? ""
            range = "between \(startWords) and \(Words.duration(duration)) later\(last)"
        case (nil, _): range = "between \(startWords) and \(end ?? "midnight")"
        }
        return "it is \(range)\(days(orElse: ""))\(details(nil))"
    }

    // MARK: Times

    private var beforeEnd: String? {
        timeBeforeEnd.map {
            "\(Words.duration(Int64($0.seconds))) before \(endTimeEachDay?.words ?? "midnight")"
        }
    }

    /// `08:00`, `10 min before 20:00`.
    private var startWords: String { startTimeEachDay?.words ?? beforeEnd ?? "midnight" }

    /// `at 08:00`, `30 min before sunset`.
    private var atWords: String {
        guard let start = startTimeEachDay else { return startWords }
        if case .sun(_, let offset) = start, offset != 0 { return start.words }
        return "at \(start.words)"
    }

    private func lengthWords(until end: String?) -> String? {
        switch (duration.map(Words.duration), end) {
        case (let length?, let end?): "for \(length), until \(end) at the latest"
        case (let length?, nil): "for \(length)"
        case (nil, let end?): "until \(end)"
        case (nil, nil): nil
        }
    }

    /// What is seldom said, in brackets.
    private func details(_ length: String?) -> String {
        let earliest = startTimeEachDay == nil ? nil : beforeEnd.map { "not earlier than \($0)" }
        let zone = utc ? "UTC" : timeZone.map(Words.name)
        let details = [length, earliest, zone].compactMap(\.self)
        return details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    }

    // MARK: Days

    private func days(orElse everyDay: String) -> String {
        let week = weekWords
        let month = monthDayWords
        var words = ""
        switch (week, month) {
        case (let week?, let month?): words = " \(week), if that is \(month)"
        case (let week?, nil): words = " \(week)"
        case (nil, let month?): words = " on \(month)"
        case (nil, nil): words = startDate != nil && startDate == endDate ? "" : everyDay
        }
        // A month that was not named with a day is named alone.
        if month == nil, dayOccurOfMonth == nil, let months { words += " in \(months)" }
        switch (startDate?.words, endDate?.words) {
        case (let first?, let last?) where first == last: words += " on \(first)"
        case (let first?, let last?): words += " from \(first) until \(last)"
        case (let first?, nil): words += " from \(first) on"
        case (nil, let last?): words += " until \(last)"
        case (nil, nil): break
        }
        return words
    }

    /// `on weekdays`, `on the first and last Monday of the month`.
    private var weekWords: String? {
        let days = daysOfWeek?.numbers ?? []
        guard let numbers = dayOccurOfMonth?.numbers, !numbers.isEmpty else {
            switch days.sorted() {
            case [], [1, 2, 3, 4, 5, 6, 7]: return nil
            case [2, 3, 4, 5, 6]: return "on weekdays"
            case [1, 7]: return "at weekends"
            default: return "on \(Words.list(Self.named(days), "and"))"
            }
        }
        let which = Words.list(numbers.compactMap { Self.occurrences.element(at: $0 &- 1) }, "and")
        guard !days.isEmpty else { return "in the \(which) week \(ofMonths)" }
        return "on the \(which) \(Words.list(Self.named(days), "and")) \(ofMonths)"
    }

    /// Weekdays from Monday to Sunday.
    private static func named(_ days: [Int]) -> [String] {
        days.sorted { ($0 + 5) % 7 < ($1 + 5) % 7 }.compactMap { weekdays.element(at: $0 &- 1) }
    }

    /// `the 1st, the 15th and the last day of the month`.
    private var monthDayWords: String? {
        guard let days = daysOfMonth?.numbers, !days.isEmpty else { return nil }
        let names = days.map { $0 == 32 ? "the last day" : "the \(Words.ordinal($0))" }
        let conjunction = weekWords == nil ? "and" : "or"
        return "\(Words.list(names, conjunction)) \(ofMonths)"
    }

    private var months: String? {
        guard let months = monthsOfYear?.numbers, !months.isEmpty else { return nil }
        return Words.list(months.compactMap { CivilDate.months.element(at: $0 &- 1) }, "and")
    }

    private var ofMonths: String { "of \(months ?? "the month")" }
}

extension DayTime {
    /// `08:00`, `sunset`, `30 min before sunset`.
    var words: String {
        switch self {
        case .clock(let time): return time.words
        case .sun(let event, let offset):
            guard offset != 0 else { return event.rawValue }
            let distance = Words.duration(Int64(offset.magnitude))
            return "\(distance) \(offset < 0 ? "before" : "after") \(event.rawValue)"
        }
    }
}

extension TimeOfDay {
    /// A time, without seconds that are none.
    fileprivate var words: String {
        let text = description
        return text.hasSuffix(":00") ? String(text.dropLast(3)) : text
    }
}

extension CivilDate {
    fileprivate static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]

    /// `24 December 2026`.
    fileprivate var words: String {
        "\(day) \(Self.months.element(at: month &- 1) ?? "") \(year)"
    }
}

extension Words {
    /// A moment in UTC: `24 December 2026 at 18:00 UTC`.
    static func moment(_ milliseconds: Int64) -> String {
        let (day, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let isBefore = rest < 0
        let date = CivilDate(dayNumber: Int(isBefore ? day - 1 : day))
        let time = TimeOfDay(seconds: Int((isBefore ? rest + 86_400_000 : rest) / 1000)) ?? .midnight
        return "\(date.words) at \(time.words) UTC"
    }

    /// `1st`, `22nd`, `13th`.
    fileprivate static func ordinal(_ number: Int) -> String {
        let ending =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(number)\(ending)"
    }
}

extension Array {
    fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
