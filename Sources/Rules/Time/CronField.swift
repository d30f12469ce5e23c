import Text

/// One of the five fields of a cron expression: what it is called, and what is legal in it.
/// - Source: crontab(5).
struct CronField: Sendable {
    let name: String
    let range: ClosedRange<Int>
    /// Names for numbers, the first for the least one.
    var names: [String] = []

    static let minutes = CronField(name: "minutes", range: 0...59)
    static let hours = CronField(name: "hours", range: 0...23)
    static let daysOfMonth = CronField(name: "days of the month", range: 1...31)
    static let months = CronField(
        name: "months",
        range: 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    )
    /// 0 and 7 are Sunday.
    static let daysOfWeek = CronField(
        name: "days of the week",
        range: 0...7,
        names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    )

    /// What is legal, for messages.
    var legalForm: String {
        var numbers = "numbers from \(range.lowerBound) to \(range.upperBound)"
        if let first = names.first, let last = names.last { numbers += " or names from \(first) to \(last)" }
        return "*, or \(numbers), as lists (1,2), ranges (1-5) and steps (*/2 or 1-5/2)"
    }

    /// The numbers of a field, and whether it has a `*`; `nil` for what is not legal.
    func numbers(_ text: some StringProtocol) -> (numbers: NumberSet, hasStar: Bool)? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 60 else { return nil }
        var numbers = NumberSet()
        var hasStar = false
        for part in parts {
            let steps = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let base = steps.first, let span = span(base) else { return nil }
            var step = 1
            if steps.count == 2 {
                // A step over a single number means nothing.
                guard span.isRange, let number = Self.number(steps[1]), 1...range.upperBound ~= number
                else { return nil }
                step = number
            }
            hasStar = hasStar || base == "*"
            for number in stride(from: span.range.lowerBound, through: span.range.upperBound, by: step) {
                numbers.insert(number)
            }
        }
        return (numbers, hasStar)
    }

    /// `*`, `a` or `a-b`.
    private func span(_ text: some StringProtocol) -> (range: ClosedRange<Int>, isRange: Bool)? {
        if text == "*" { return (range, true) }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = ends.first, let low = value(start) else { return nil }
        guard ends.count == 2 else { return (low...low, false) }
        guard var high = value(ends[1]) else { return nil }
        // Saturday to Sunday.
        if range.upperBound == 7, high == 0, low > 0 { high = 7 }
        return low <= high ? (low...high, true) : nil
    }

    private func value(_ text: some StringProtocol) -> Int? {
        if let number = Self.number(text) { return range ~= number ? number : nil }
        return names.firstIndex(of: text.lowercased()).map { $0 + (range.lowerBound == 1 ? 1 : 0) }
    }

    /// One or two digits.
    private static func number(_ text: some StringProtocol) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard 1...2 ~= text.utf8.count, text.utf8.allSatisfy({ digits ~= $0 }) else { return nil }
        return Int(text)
    }
}
