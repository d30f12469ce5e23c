import Bindings
package import JSON
import Text

/// The values that a field of a thing can have, as far as its profile or its data show.
package enum FieldValues: Sendable, Hashable {
    case flag
    case text
    /// Numbers between two limits, of which each may be absent.
    case number(from: Double? = nil, to: Double? = nil, isWhole: Bool = false)
    /// One of these, with the names that they have.
    case choice([JSONValue], names: [String] = [])

    /// Whether a value is one of them.
    package func contains(_ value: JSONValue) -> Bool {
        switch self {
        case .flag: value.bool != nil
        case .text: value.string != nil
        case .number(let lower, let upper, let isWhole):
            value.number.map { number in
                number >= lower ?? -.infinity && number <= upper ?? .infinity
                    && (!isWhole || number == number.rounded())
            } ?? false
        case .choice(let values, _):
            values.contains { $0 == value || $0.isSameNumber(as: value) }
        }
    }

    /// `a number from 0 to 1`, `true or false`, `one of "auto", "heat"`.
    package var words: String {
        switch self {
        case .flag: return "true or false"
        case .text: return "a text"
        case .number(let lower, let upper, let isWhole):
            let number = isWhole ? "a whole number" : "a number"
            return switch (lower, upper) {
            case (let lower?, let upper?): "\(number) from \(Words.number(lower)) to \(Words.number(upper))"
            case (let lower?, nil): "\(number) of at least \(Words.number(lower))"
            case (nil, let upper?): "\(number) of at most \(Words.number(upper))"
            case (nil, nil): number
            }
        case .choice(let values, let names):
            let shown = values.enumerated().prefix(Self.mostShown).map { index, value in
                let name = names.indices.contains(index) && value.string != names[index] ? names[index] : ""
                return Words.value(value) + (name.isEmpty ? "" : " (\(Words.name(name)))")
            }
            return "one of \(shown.joined(separator: ", "))" + (values.count > shown.count ? ", …" : "")
        }
    }

    private static let mostShown = 20
}

/// A comparison that no value of its field can change.
package struct FixedComparison: Sendable, Hashable {
    package let field: String
    /// What is always so, or never.
    package let isAlways: Bool
    /// The comparison about a thing, such as `fan's speed is above 3`.
    package let words: String
    /// What the field can be.
    package let values: FieldValues

    /// A sentence that says what is legal.
    package var sentence: String {
        "it is \(isAlways ? "always" : "never") true that \(words): \(Words.name(field)) is \(values.words)"
    }
}

extension StateClause {
    /// The comparisons in it that are always true, or never.
    ///
    /// - Parameters:
    ///   - thing: What the thing is called.
    ///   - values: What a field can be; `nil` if that is not known.
    package func fixedComparisons(
        of thing: String,
        _ values: (_ field: String) -> FieldValues?
    ) -> [FixedComparison] {
        switch self {
        case .all, .time: return []
        case .and(let clauses), .or(let clauses):
            return clauses.flatMap { $0.fixedComparisons(of: thing, values) }
        case .equals, .range, .not:
            guard let field = fields.first, let values = values(field), let isAlways = isAlways(values) else {
                return []
            }
            let words = words(about: Subject(thing))
            return [FixedComparison(field: field, isAlways: isAlways, words: words, values: values)]
        }
    }

    /// Whether one comparison is true, or false, for all values that there can be; `nil` if it depends on them.
    private func isAlways(_ values: FieldValues) -> Bool? {
        switch self {
        case .equals(_, let wanted): values.contains(wanted) ? nil : false
        case .not(let clause): clause.isAlways(values).map { !$0 }
        case .range(_, let range): range.isAlways(values)
        case .all, .time, .and, .or: nil
        }
    }
}

extension StateClause.NumberRange {
    fileprivate func isAlways(_ values: FieldValues) -> Bool? {
        switch values {
        // Only numbers are in a range.
        case .flag, .text: return false
        case .choice(let values, _):
            let numbers = values.compactMap(\.number)
            guard numbers.contains(where: contains) else { return false }
            return numbers.count == values.count && numbers.allSatisfy(contains) ? true : nil
        case .number(let least, let most, _):
            if let lower, let most, !(includesLower ? lower <= most : lower < most) { return false }
            if let upper, let least, !(includesUpper ? upper >= least : upper > least) { return false }
            let isOpenBelow = lower.map { lower in least.map { contains(below: lower, $0) } ?? false } ?? true
            let isOpenAbove = upper.map { upper in most.map { contains(above: upper, $0) } ?? false } ?? true
            return isOpenBelow && isOpenAbove ? true : nil
        }
    }

    /// Whether nothing from a least value on is cut off by the lower limit.
    private func contains(below lower: Double, _ least: Double) -> Bool {
        includesLower ? lower <= least : lower < least
    }

    /// Whether nothing up to a greatest value is cut off by the upper limit.
    private func contains(above upper: Double, _ most: Double) -> Bool {
        includesUpper ? upper >= most : upper > most
    }
}
