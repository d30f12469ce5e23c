import Text
package import Things

/// When something is due, as a line of cron says it: minutes, hours, days of the month, months, days of the
/// week.
///
/// - Source: crontab(5); contrib/contract/rules.md, "Schedules".
package struct CronExpression: Sendable, Hashable {
    /// The five fields as they were written, with one space between them.
    package let text: String

    let minutes: NumberSet
    let hours: NumberSet
    let pattern: DayPattern
    /// Whether the hours have a `*`: then times follow real time when clocks are changed.
    let followsRealTime: Bool

    /// Bytes of the longest expression.
    package static let maximumLength = 500

    /// Parses an expression.
    ///
    /// - Parameter path: Where it is in the rule, such as `when[0].cron`.
    /// - Throws: `invalid_value`, also for an expression that never comes, such as 30 February.
    package init(_ text: String, at path: String) throws(Refusal) {
        func invalid(_ rest: String) -> Refusal {
            let shown = HarmfulCharacters.escaped(in: QuotedValue.clipped(path, to: 200))
            return Refusal(.invalidValue, "\(shown) \(rest)", field: path)
        }
        guard text.utf8.count <= Self.maximumLength else {
            throw invalid("must have at most \(Self.maximumLength) bytes, has \(text.utf8.count)")
        }
        let fields = text.split { $0 == " " || $0 == "\t" }
        guard fields.count == 5 else {
            throw invalid(
                "must have five fields (minutes, hours, days of the month, months, days of the week), "
                    + "such as 30 8 * * mon-fri; is \(QuotedValue.of(text))"
            )
        }
        func read(_ field: CronField, _ text: Substring) throws(Refusal) -> (
            numbers: NumberSet, hasStar: Bool
        ) {
            guard let found = field.numbers(text) else {
                throw invalid(
                    "has \(QuotedValue.of(String(text))) for the \(field.name), which must be "
                        + field.legalForm
                )
            }
            return found
        }
        minutes = try read(.minutes, fields[0]).numbers
        let hours = try read(.hours, fields[1])
        (self.hours, followsRealTime) = hours
        let days = try read(.daysOfMonth, fields[2])
        var pattern = DayPattern()
        pattern.months = try read(.months, fields[3]).numbers
        let weekdays = try read(.daysOfWeek, fields[4])
        pattern.days = days.numbers
        pattern.weekdays = NumberSet(weekdays.numbers.numbers.map { $0 % 7 + 1 })
        // A field with a star is not restricted, as in crontab(5); then both must fit.
        pattern.isEither = !days.hasStar && !weekdays.hasStar
        self.pattern = pattern
        self.text = fields.joined(separator: " ")
        guard pattern.next(onOrAfter: 0, through: DayPattern.cycle) != nil else {
            throw invalid("never comes: no month of it has such a day; is \(QuotedValue.of(text))")
        }
    }
}

extension CronExpression: CustomStringConvertible {
    package var description: String { text }
}
