/// Any JSON value (RFC 8259).
///
/// Objects are sorted by key, so that equal values give equal bytes. Numbers are doubles, as in
/// JavaScript; a whole number beyond 2^53 keeps its digits as a `numeral`, so that a caller's identifier is
/// returned unchanged.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    /// The digits of a whole number that a `Double` cannot represent exactly.
    case numeral(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    package var isNull: Bool { self == .null }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as a double; a numeral is rounded.
    package var number: Double? {
        switch self {
        case .number(let value): value
        case .numeral(let digits): Double(digits)
        default: nil
        }
    }

    /// The number, also if it is written as a text, as some devices do.
    package var statedNumber: Double? {
        guard let number = number ?? string.flatMap({ try? JSONValue(parsing: $0).number }), number.isFinite
        else { return nil }
        return number
    }

    /// A whole number that fits an `Int`; a numeral exactly.
    package var integer: Int? {
        switch self {
        case .number(let value): Int(exactly: value)
        case .numeral(let digits): Int(digits)
        default: nil
        }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of an object; `nil` when it is absent or this is not an object.
    package subscript(key: String) -> JSONValue? {
        object?[key]
    }

    /// A whole number.
    package init(_ value: Int) {
        self = value.magnitude <= 1 << 53 ? .number(Double(value)) : .numeral(String(value))
    }
}

// Not ExpressibleByNilLiteral: `condition ? value : nil` would give JSON's null instead of no value.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(integerLiteral value: Int) { self.init(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}
