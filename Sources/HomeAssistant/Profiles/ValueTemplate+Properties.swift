import Flare

/// Templates for the properties of a profile.
///
/// Data may hold anything: each template gives a value that its platform accepts, or nothing. Home Assistant logs
/// a warning for every other value, at every message.
extension ValueTemplate {
    /// A number within a range; `missing` for anything else.
    ///
    /// - Parameter isWhole: Whether it is rounded, for platforms that read whole numbers only.
    static func number(
        _ expression: String,
        from minimum: Double? = nil,
        to maximum: Double? = nil,
        isWhole: Bool = false,
        missing: String = "None"
    ) -> String {
        var filters = "[\(expression)] | select('number') | reject('boolean')"
        if let minimum { filters += " | select('>=', \(number(minimum)))" }
        if let maximum { filters += " | select('<=', \(number(maximum)))" }
        if isWhole { filters += " | map('round') | map('int')" }
        return "{{ (\(filters) | list + ['\(missing)'])[0] if value_json is defined else '\(missing)' }}"
    }

    /// A number within a range as a whole percentage of it; `missing` for anything else.
    static func percentage(_ expression: String, of range: PropertyRange, missing: String = "None") -> String
    {
        let (low, high) = (number(range.minimum), number(range.maximum))
        return
            "{{ (\(percent(expression, of: range)) | int if \(expression) is number and \(low) <= \(expression) <= \(high) "
            + "else '\(missing)') if value_json is defined else '\(missing)' }}"
    }

    /// A number as a rounded percentage of its range; an expression.
    static func percent(_ expression: String, of range: PropertyRange) -> String {
        let (low, high) = (number(range.minimum), number(range.maximum))
        return "((\(expression) - \(low)) * 100 / (\(high) - \(low))) | round"
    }

    /// The number in a range that a percentage stands for.
    ///
    /// - Parameter isWhole: Whether the property has whole numbers only.
    static func fromPercentage(_ expression: String, to range: PropertyRange, isWhole: Bool) -> String {
        let (low, high) = (number(range.minimum), number(range.maximum))
        let value = "(\(low) + \(expression) * (\(high) - \(low)) / 100)"
        return "{{ \(value) | round\(isWhole ? " | int" : "(3)") }}"
    }

    /// The name of a value.
    ///
    /// - Parameter otherwise: An expression for a value without a name.
    static func naming(
        _ expression: String,
        _ names: [(name: String, value: JSONValue)],
        otherwise: String = "'None'"
    ) -> String {
        "{{ (\(pairs(names)) | selectattr(1, 'eq', \(expression)) | map(attribute=0) | list + [\(otherwise)])[0] "
            + "if value_json is defined else 'None' }}"
    }

    /// The value of a name that was chosen, as JSON.
    static func valuing(_ names: [(name: String, value: JSONValue)]) -> String {
        "{{ (\(pairs(names)) | selectattr(0, 'eq', value) | map(attribute=1) | list + [value])[0] | to_json }}"
    }

    /// One of two words for one of two values; unknown for any other.
    static func either(
        _ expression: String,
        _ first: (value: JSONValue, word: String),
        _ second: (value: JSONValue, word: String)
    ) -> String {
        "{{ ('\(first.word)' if \(expression) == \(literal(first.value)) else "
            + "'\(second.word)' if \(expression) == \(literal(second.value)) else 'None') "
            + "if value_json is defined else 'None' }}"
    }

    /// A text if it is one of some words; `missing` for anything else.
    static func word(_ expression: String, of words: [String], missing: String) -> String {
        let list = words.map { "'\($0)'" }.joined(separator: ", ")
        return "(\(expression) if \(expression) in [\(list)] else \(missing))"
    }

    /// A text for a field, cut to the length of a state; empty if it is missing.
    static func field(_ expression: String) -> String {
        "{{ ((\(expression) | string)[:255] if \(expression) is defined and \(expression) is not none else '') "
            + "if value_json is defined else '' }}"
    }

    /// A whole number that Home Assistant sends as a decimal one.
    static let whole = "{{ value | round | int }}"

    private static func pairs(_ names: [(name: String, value: JSONValue)]) -> String {
        "[\(names.map { "[\(literal($0.name)), \(literal($0.value))]" }.joined(separator: ", "))]"
    }

    private static func number(_ number: Double) -> String { JSONValue.number(number).text }

    /// A literal of Jinja for a boolean, a number or a text.
    private static func literal(_ value: JSONValue) -> String {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .number, .numeral: value.text
        case .string(let text): literal(text)
        case .null, .array, .object: "none"
        }
    }
}
