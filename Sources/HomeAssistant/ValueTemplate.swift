import Flare

/// Jinja templates that Home Assistant applies to our messages.
///
/// A cleared topic arrives as an empty message, which is not JSON: every template handles this.
enum ValueTemplate {
    /// The value of an expression on `value_json`; unknown if it is missing.
    static func reading(_ expression: String) -> String {
        "{{ \(expression) | default('None') if value_json is defined else 'None' }}"
    }

    /// The value of an expression mapped to another name, if it has one; unknown if it is missing.
    static func renaming(_ expression: String, _ names: [(String, String)]) -> String {
        let value = "(\(expression) | default('None'))"
        return "{{ \(renamed(value, names)) if value_json is defined else 'None' }}"
    }

    /// A selected value mapped to another name, if it has one.
    static func command(_ names: [(String, String)]) -> String { "{{ \(renamed("value", names)) }}" }

    /// The value of an expression mapped to another name, if it has one, as an expression.
    static func renamed(_ value: String, _ names: [(String, String)]) -> String {
        guard !names.isEmpty else { return value }
        let pairs = names.map { "\(literal($0)): \(literal($1))" }.joined(separator: ", ")
        return "{\(pairs)}.get(\(value), \(value))"
    }

    /// A text, cut to the length of a state.
    static func text(_ expression: String) -> String {
        "{{ (\(expression) | default('None') | string)[:255] if value_json is defined else 'None' }}"
    }

    /// `ON` or `OFF` for a boolean; unknown if it is missing.
    static func flag(_ expression: String) -> String {
        "{{ ('None' if \(expression) is not defined else 'ON' if \(expression) else 'OFF') "
            + "if value_json is defined else 'None' }}"
    }

    /// `ON` or `OFF` for whether a member equals a slug.
    static func isSlug(_ slug: String, in expression: String) -> String {
        "{{ ('ON' if \(expression) is defined and \(expression) == '\(slug)' else 'OFF') "
            + "if value_json is defined else 'None' }}"
    }

    /// `online` or `offline`, for availability.
    static func online(if condition: String) -> String {
        "{{ 'online' if value_json is defined and \(condition) else 'offline' }}"
    }

    /// An object of some members, for attributes.
    static func members(_ keys: [String]) -> String {
        let pairs = keys.map { "'\($0)': value_json.\($0) | default(none)" }.joined(separator: ", ")
        return "{{ {\(pairs)} | to_json if value_json is defined else '{}' }}"
    }

    /// The whole message, if it is an event of one of these types.
    static func events(_ types: [String]) -> String {
        let list = types.map { "'\($0)'" }.joined(separator: ", ")
        return "{{ value if value_json is defined and value_json.event_type in [\(list)] else '' }}"
    }

    /// A refused command as an event.
    static let refusal =
        "{{ {'event_type': 'refused', 'code': value_json.error.code, 'message': value_json.error.message, "
        + "'target': value_json.target | default(none)} | to_json "
        + "if value_json is mapping and value_json.error is defined else '' }}"

    /// The value as a JSON string, with special characters escaped.
    static let quoted = "{{ value | string | to_json }}"

    /// A member of the message; the key may be any text.
    static func member(_ key: String) -> String { "value_json[\(literal(key))]" }

    /// A string literal of Jinja: characters other than plain letters are escaped by number.
    static func literal(_ text: String) -> String {
        var literal = "'"
        for scalar in text.unicodeScalars {
            if scalar.isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || scalar == "_" || scalar == "-" || scalar == " "
            {
                literal.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                literal += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return literal + "'"
    }
}
