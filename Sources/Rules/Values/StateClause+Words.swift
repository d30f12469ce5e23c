import Bindings
import JSON

extension StateClause {
    /// The clause about a thing, such as `radiator's room_temp is at least 30`.
    ///
    /// - Parameter isPart: Whether it is within another clause, so that a list needs brackets.
    func words(about thing: String, isPart: Bool = false) -> String {
        switch self {
        case .all: "\(thing) is in any state"
        case .equals(let field, let value): "\(Self.subject(thing, field)) is \(Words.value(value))"
        case .not(.equals(let field, let value)):
            "\(Self.subject(thing, field)) is not \(Words.value(value))"
        case .not(let clause): "not (\(clause.words(about: thing)))"
        case .range(let field, let range): "\(Self.subject(thing, field)) is \(range.words)"
        case .and(let clauses): Self.words(clauses, "and", thing, isPart)
        case .or(let clauses): Self.words(clauses, "or", thing, isPart)
        case .time(let range): "the state is of \(range.lowerBound) to \(range.upperBound) ms"
        }
    }

    static func subject(_ thing: String, _ field: String) -> String { "\(thing)'s \(Words.name(field))" }

    private static func words(
        _ clauses: [StateClause],
        _ conjunction: String,
        _ thing: String,
        _ isPart: Bool
    ) -> String {
        guard let first = clauses.first else { return conjunction == "and" ? "always" : "never" }
        guard clauses.count > 1 else { return first.words(about: thing, isPart: isPart) }
        let words = Words.list(clauses.map { $0.words(about: thing, isPart: true) }, conjunction)
        return isPart ? "(\(words))" : words
    }
}

extension StateClause.NumberRange {
    /// `at least 30`, `above 20 and at most 25`, `from 20 to 25`.
    fileprivate var words: String {
        switch (lower, upper) {
        case (let lower?, let upper?) where includesLower && includesUpper:
            "from \(Words.number(lower)) to \(Words.number(upper))"
        case (let lower?, let upper?):
            "\(least(lower)) and \(most(upper))"
        case (let lower?, nil): least(lower)
        case (nil, let upper?): most(upper)
        case (nil, nil): "a number"
        }
    }

    private func least(_ limit: Double) -> String {
        "\(includesLower ? "at least" : "above") \(Words.number(limit))"
    }

    private func most(_ limit: Double) -> String {
        "\(includesUpper ? "at most" : "below") \(Words.number(limit))"
    }
}
