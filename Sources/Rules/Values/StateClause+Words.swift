import Bindings
import JSON

extension StateClause {
    /// Whether something is so, or has been so for a time.
    enum Tense: String {
        case present = "is"
        case lasting = "has been"
    }

    /// The thing that a clause is about.
    struct Subject {
        let name: String
        let possessive: String

        /// A thing by its name.
        init(_ name: String) { (self.name, possessive) = (name, "\(name)'s") }

        private init(name: String, possessive: String) {
            (self.name, self.possessive) = (name, possessive)
        }

        /// The thing that was named before.
        static let it = Subject(name: "it", possessive: "its")

        func field(_ field: String) -> String { "\(possessive) \(Words.name(field))" }
    }

    /// The clause about a thing, such as `radiator's room_temp is at least 30`, or `lamp is on`.
    ///
    /// - Parameter isPart: Whether it is within another clause, so that a list needs brackets.
    func words(about thing: Subject, _ tense: Tense = .present, isPart: Bool = false) -> String {
        let verb = tense.rawValue
        switch self {
        case .all: return "\(thing.name) \(verb) in any state"
        case .equals("on", .bool(let isOn)): return "\(thing.name) \(verb) \(isOn ? "on" : "off")"
        case .not(.equals("on", .bool(let isOn))):
            return "\(thing.name) \(tense.negated) \(isOn ? "on" : "off")"
        case .equals(let field, let value): return "\(thing.field(field)) \(verb) \(Words.value(value))"
        case .not(.equals(let field, let value)):
            return "\(thing.field(field)) \(tense.negated) \(Words.value(value))"
        case .not(let clause):
            return "it \(tense.negated) so that \(clause.words(about: thing, isPart: true))"
        case .range(let field, let range): return "\(thing.field(field)) \(verb) \(range.words)"
        case .and(let clauses): return Self.words(clauses, "and", thing, tense, isPart)
        case .or(let clauses): return Self.words(clauses, "or", thing, tense, isPart)
        case .time(let range):
            let (first, last) = (Words.moment(range.lowerBound), Words.moment(range.upperBound))
            return "\(thing.name) reported between \(first) and \(last)"
        }
    }

    private static func words(
        _ clauses: [StateClause],
        _ conjunction: String,
        _ thing: Subject,
        _ tense: Tense,
        _ isPart: Bool
    ) -> String {
        guard let first = clauses.first else { return conjunction == "and" ? "always" : "never" }
        guard clauses.count > 1 else { return first.words(about: thing, tense, isPart: isPart) }
        let words = Words.list(clauses.map { $0.words(about: thing, tense, isPart: true) }, conjunction)
        return isPart ? "(\(words))" : words
    }

    /// Whether it is about one field, so that a few words deny it.
    var isSimple: Bool {
        switch self {
        case .equals, .range, .not(.equals): true
        case .and(let clauses), .or(let clauses): clauses.count == 1 && clauses.allSatisfy(\.isSimple)
        case .all, .not, .time: false
        }
    }

    /// What ends it, if its limits are further out: `below 7`; `nil` of what has no limits of its own.
    func end(beyond margin: Double) -> String? {
        guard case .range(_, let range) = self else { return nil }
        return range.outside(beyond: margin)
    }
}

extension StateClause.Tense {
    fileprivate var negated: String {
        switch self {
        case .present: "is not"
        case .lasting: "has not been"
        }
    }
}

extension StateClause.NumberRange {
    /// `at least 30`, `above 20 and at most 25`, `between 20 and 25`.
    fileprivate var words: String {
        switch (lower, upper) {
        case (let lower?, let upper?) where includesLower && includesUpper:
            "between \(Words.number(lower)) and \(Words.number(upper))"
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

    /// `below 7`, `below 0.5 or above 2.5`.
    fileprivate func outside(beyond margin: Double) -> String? {
        let below = lower.map {
            "\(includesLower ? "below" : "at most") \(Words.number(Self.rounded($0 - margin)))"
        }
        let above = upper.map {
            "\(includesUpper ? "above" : "at least") \(Words.number(Self.rounded($0 + margin)))"
        }
        let words = [below, above].compactMap(\.self)
        return words.isEmpty ? nil : Words.list(words, "or")
    }

    /// Without what a sum of decimal fractions has too much, as in 0.30000000000000004.
    private static func rounded(_ number: Double) -> Double {
        number.magnitude < 1e6 ? (number * 1e9).rounded() / 1e9 : number
    }
}
