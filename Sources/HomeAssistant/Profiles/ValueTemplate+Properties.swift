import JSON
import Things

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
    ) -> JSONValue {
        var filters = "[\(expression)] | select('number') | reject('boolean')"
        if let minimum { filters += " | select('>=', \(number(minimum)))" }
        if let maximum { filters += " | select('<=', \(number(maximum)))" }
        if isWhole { filters += " | map('round') | map('int')" }
        return of("(\(filters) | list + ['\(missing)'])[0]", missing: "'\(missing)'")
    }

    /// A number within a range as a whole percentage of it; `missing` for anything else.
    static func percentage(
        _ expression: String,
        of range: PropertyRange,
        missing: String = "None"
    ) -> JSONValue {
        let isInside = "\(number(range.minimum)) <= \(expression) <= \(number(range.maximum))"
        let percent = "\(percent(expression, of: range)) | int if \(expression) is number and \(isInside)"
        return of("(\(percent) else '\(missing)')", missing: "'\(missing)'")
    }

    /// A number as a rounded percentage of its range; an expression.
    static func percent(_ expression: String, of range: PropertyRange) -> String {
        let (low, high) = (number(range.minimum), number(range.maximum))
        return "((\(expression) - \(low)) * 100 / (\(high) - \(low))) | round"
    }

    /// The number in a range that a percentage stands for, as an expression.
    ///
    /// - Parameter isWhole: Whether the property has whole numbers only.
    static func share(_ expression: String, of range: PropertyRange, isWhole: Bool) -> String {
        let (low, high) = (number(range.minimum), number(range.maximum))
        return "(\(low) + \(expression) * (\(high) - \(low)) / 100) | round\(isWhole ? " | int" : "(3)")"
    }

    /// The name of a value.
    ///
    /// - Parameter otherwise: An expression for a value without a name.
    static func naming(
        _ expression: String,
        _ names: [(name: String, value: JSONValue)],
        otherwise: String = "'None'"
    ) -> JSONValue {
        of(name(of: expression, names, otherwise: otherwise))
    }

    /// The name of a value, as an expression.
    static func name(
        of expression: String,
        _ names: [(name: String, value: JSONValue)],
        otherwise: String = "'None'"
    ) -> String {
        "(\(pairs(names)) | selectattr(1, 'eq', \(expression)) | map(attribute=0) | list + [\(otherwise)])[0]"
    }

    /// The value of a name that was chosen, as JSON.
    static func valuing(_ names: [(name: String, value: JSONValue)]) -> JSONValue {
        "{{ \(value(of: "value", names)) | to_json }}"
    }

    /// The value of a name, as an expression.
    static func value(of name: String, _ names: [(name: String, value: JSONValue)]) -> String {
        "(\(pairs(names)) | selectattr(0, 'eq', \(name)) | map(attribute=1) | list + [\(name)])[0]"
    }

    /// An object that switches a thing on and sets a property, or that switches it off.
    static func joining(
        _ power: ThingProperty,
        _ property: ThingProperty,
        _ value: String,
        isOff: String
    ) -> JSONValue {
        let name = literal(power.name)
        return
            "{{ ({\(name): 'OFF'} if \(isOff) else {\(name): 'ON', \(literal(property.name)): \(value)}) | to_json }}"
    }

    /// One of two words for one of two values; unknown for any other.
    static func either(
        _ expression: String,
        _ first: (value: JSONValue, word: String),
        _ second: (value: JSONValue, word: String)
    ) -> JSONValue {
        let isFirst = "'\(first.word)' if \(expression) == \(literal(first.value))"
        let isSecond = "'\(second.word)' if \(expression) == \(literal(second.value))"
        return of("(\(isFirst) else \(isSecond) else 'None')")
    }

    /// A text if it is one of some words; `missing` for anything else.
    static func word(_ expression: String, of words: [String], missing: String) -> String {
        let list = words.map { "'\($0)'" }.joined(separator: ", ")
        return "(\(expression) if \(expression) in [\(list)] else \(missing))"
    }

    /// A text for a field, cut to the length of a state; empty if it is missing.
    static func field(_ expression: String) -> JSONValue {
        let isThere = "\(expression) is defined and \(expression) is not none"
        return of("((\(expression) | string)[:255] if \(isThere) else '')", missing: "''")
    }

    /// A whole number that Home Assistant sends as a decimal one.
    static let whole: JSONValue = "{{ value | round | int }}"

    private static func pairs(_ names: [(name: String, value: JSONValue)]) -> String {
        "[\(names.map { "[\(literal($0.name)), \(literal($0.value))]" }.joined(separator: ", "))]"
    }

    private static func number(_ number: Double) -> String { JSONValue.number(number).text }

    /// A literal of Jinja for a boolean, a number or a text.
    static func literal(_ value: JSONValue) -> String {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .number, .numeral: value.text
        case .string(let text): literal(text)
        case .null, .array, .object: "none"
        }
    }
}
