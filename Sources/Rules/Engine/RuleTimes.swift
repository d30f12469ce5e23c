/// When a rule is due: what the engine knows anyway, and what is found from that when it is asked for.
///
/// A value of its own, so that the search needs neither the engine nor the loop that it runs on.
package struct RuleTimes: Sendable {
    /// A trigger that is due again.
    struct Due: Sendable {
        let trigger: TimeTrigger
        let next: Occurrence
    }

    private let first: [Due]
    private let calendar: RuleCalendar

    /// When the run that is under way ends, milliseconds since 1970 UTC; of several, the one that ends first.
    ///
    /// Only a rule that does something at the end of a run or within it has runs.
    package let until: Int64?

    init(_ first: [Due], until: Int64? = nil, _ calendar: RuleCalendar) {
        (self.first, self.until, self.calendar) = (first, until, calendar)
    }

    /// The next time, milliseconds since 1970 UTC.
    package var next: Int64? { first.map(\.next.start).min() }

    /// The next times in their order, each once: up to `count`, milliseconds since 1970 UTC.
    ///
    /// Of some schedules the next day is years away, and takes its time to be found.
    package func upcoming(_ count: Int) -> [Int64] {
        var times: [Int64] = []
        var due = first
        while times.count < count, let next = due.map(\.next.start).min() {
            times.append(next)
            guard times.count < count else { break }
            due = due.compactMap { $0.after(next, in: calendar) }
        }
        return times
    }
}

extension RuleTimes.Due {
    /// As it is after an instant.
    fileprivate func after(_ instant: Int64, in calendar: RuleCalendar) -> Self? {
        guard next.start <= instant else { return self }
        return trigger.next(after: instant, in: calendar).map { Self(trigger: trigger, next: $0) }
    }
}
