/// Limits of rules.
/// - Source: contrib/contract/rules.md, "A rule" and "Tables, limits, speed".
package enum RuleLimits {
    /// Rules of a daemon.
    package static let rules = 5_000
    /// Rules of one user.
    package static let rulesOfUser = 200
    /// Bytes of a rule as it came in.
    package static let bytes = 65_536

    package static let triggers = 1...10
    package static let conditions = 0...20
    package static let actions = 1...50

    /// Characters of a title.
    package static let title = 50
    /// Characters of a description.
    package static let description = 200
    /// Seconds without another firing.
    package static let pause: ClosedRange<Int64> = 0...604_800
    /// Seconds for which a clause must hold.
    package static let hold: ClosedRange<Int64> = 0...86_400
    /// Clauses of one condition, all together.
    package static let clauses = 50
    /// Levels of clauses in clauses.
    package static let clauseDepth = 8
    /// Metres of a circle around a place.
    package static let radius: ClosedRange<Double> = 10...100_000
    /// Seconds after which a beacon that is not heard has gone.
    package static let gone: ClosedRange<Int64> = 10...3_600
    /// Seconds for which a device must be in a condition.
    package static let threshold: ClosedRange<Int64> = 300...86_400
    /// Bytes of the JSON that a rule publishes.
    package static let publishedBytes = 4_096
    /// Characters of a text for people.
    package static let text = 1_000
}
