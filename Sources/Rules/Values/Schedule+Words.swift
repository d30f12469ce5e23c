import JSON

extension Schedule {
    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November",
        "December",
    ]
    private static let occurrences = ["first", "second", "third", "fourth", "fifth", "last"]

    /// When it begins: `08:00 until 20:00 on Monday`.
    var dueWords: String {
        let start = start ?? "\(text("timeBeforeEnd") ?? "some time") before \(end ?? "midnight")"
        let until = self.start == nil ? "" : end.map { " until \($0)" } ?? ""
        return start + until + repetition + dayWords
    }

    /// Its range: `between 08:00 and 20:00 on Monday`.
    var rangeWords: String {
        let range =
            switch (start, end) {
            case (let start?, let end?): "between \(start) and \(end)"
            case (let start?, nil): "from \(start)"
            case (nil, let end): "\(text("timeBeforeEnd") ?? "some time") before \(end ?? "midnight")"
            }
        return range + repetition + dayWords
    }

    private func text(_ name: String) -> String? {
        members[name]?.string.map { Words.name($0) }
    }

    /// A time without seconds that are none.
    private func time(_ name: String) -> String? {
        text(name).map { $0.utf8.count > 5 && $0.hasSuffix(":00") ? String($0.dropLast(3)) : $0 }
    }

    private var start: String? { time("startTimeEachDay") }
    private var end: String? { time("endTimeEachDay") }

    private var repetition: String {
        var words = ""
        if let seconds = members["duration"]?.integer { words += " for \(Words.duration(Int64(seconds)))" }
        if let seconds = members["interval"]?.integer { words += " every \(Words.duration(Int64(seconds)))" }
        return words
    }

    private var dayWords: String {
        var words: [String] = []
        let weekdays = names("daysOfWeek", Self.weekdays)
        if !weekdays.isEmpty {
            let occurrences = names("dayOccurOfMonth", Self.occurrences)
            let which = occurrences.isEmpty ? "" : "the \(Words.list(occurrences, "and")) "
            words.append("on \(which)\(Words.list(weekdays, "and"))")
        }
        let days = (members["daysOfMonth"]?.array ?? []).compactMap(\.integer)
        if !days.isEmpty {
            let names = days.map { $0 == 32 ? "the last" : "\($0)" }
            words.append("on day \(Words.list(names, "and")) of the month")
        }
        let months = names("monthsOfYear", Self.months)
        if !months.isEmpty { words.append("in \(Words.list(months, "and"))") }
        if let first = text("startDate") { words.append("from \(first) on") }
        if let last = text("endDate") { words.append("until \(last)") }
        if members["utc"]?.bool == true { words.append("UTC") }
        if let zone = text("timeZone") { words.append("(\(zone))") }
        return words.map { " \($0)" }.joined()
    }

    private func names(_ member: String, _ names: [String]) -> [String] {
        (members[member]?.array ?? []).compactMap(\.integer).compactMap { number in
            names.indices.contains(number &- 1) ? names[number &- 1] : nil
        }
    }
}
