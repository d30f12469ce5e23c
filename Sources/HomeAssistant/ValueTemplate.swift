import JSON

/// Jinja templates that Home Assistant applies to our messages, and the expressions in them, which are texts here.
///
/// A cleared topic arrives as an empty message, which is not JSON: every template handles this.
enum ValueTemplate {
    /// An expression on `value_json`; `missing`, which is one too, without JSON.
    static func of(_ expression: String, missing: String = "'None'") -> JSONValue {
        "{{ \(expression) if value_json is defined else \(missing) }}"
    }

    /// The value of an expression on `value_json`; unknown if it is missing.
    static func reading(_ expression: String) -> JSONValue { of("\(expression) | default('None')") }

    /// The value of an expression mapped to another name, if it has one; unknown if it is missing.
    static func renaming(_ expression: String, _ names: [(String, String)]) -> JSONValue {
        of(renamed("(\(expression) | default('None'))", names))
    }

    /// A selected value mapped to another name, if it has one.
    static func command(_ names: [(String, String)]) -> JSONValue { "{{ \(renamed("value", names)) }}" }

    /// The value of an expression mapped to another name, if it has one, as an expression.
    static func renamed(_ value: String, _ names: [(String, String)]) -> String {
        guard !names.isEmpty else { return value }
        let pairs = names.map { "\(literal($0)): \(literal($1))" }.joined(separator: ", ")
        return "{\(pairs)}.get(\(value), \(value))"
    }

    /// A text, cut to the length of a state.
    static func text(_ expression: String) -> JSONValue {
        of("(\(expression) | default('None') | string)[:255]")
    }

    /// `ON` or `OFF` for a boolean; unknown if it is missing.
    static func flag(_ expression: String) -> JSONValue {
        of("('None' if \(expression) is not defined else 'ON' if \(expression) else 'OFF')")
    }

    /// `ON` or `OFF` for whether a member equals a slug.
    static func isSlug(_ slug: String, in expression: String) -> JSONValue {
        of("('ON' if \(expression) is defined and \(expression) == '\(slug)' else 'OFF')")
    }

    /// `online` or `offline`, for availability.
    static func online(if condition: String) -> JSONValue {
        "{{ 'online' if value_json is defined and \(condition) else 'offline' }}"
    }

    /// An object of some members, for attributes.
    static func members(_ keys: [String]) -> JSONValue {
        let pairs = keys.map { "'\($0)': value_json.\($0) | default(none)" }.joined(separator: ", ")
        return of("{\(pairs)} | to_json", missing: "'{}'")
    }

    /// The names in a list of objects, as an attribute of the same name.
    static func names(_ list: String) -> JSONValue {
        of(
            "{'\(list)': value_json.\(list) | default([]) | map(attribute='name') | list} | to_json",
            missing: "'{}'"
        )
    }

    /// The whole message, if it is an event of one of these types.
    static func events(_ types: [String]) -> JSONValue {
        let list = types.map { "'\($0)'" }.joined(separator: ", ")
        return "{{ value if value_json is defined and value_json.event_type in [\(list)] else '' }}"
    }

    /// A firing of a rule as an event, with its members and when it was published.
    static let firing: JSONValue = """
        {{ dict(value_json.rule, event_type='fired', ts=value_json.ts | default(none)) | to_json \
        if value_json is mapping and value_json.event_type == 'fired' and value_json.rule is mapping else '' }}
        """

    /// A refused command as an event.
    static let refusal: JSONValue = """
        {{ {'event_type': 'refused', 'code': value_json.error.code, 'message': value_json.error.message, \
        'target': value_json.target | default(none)} | to_json \
        if value_json is mapping and value_json.error is defined else '' }}
        """

    /// The value as a JSON string, with special characters escaped.
    static let quoted: JSONValue = "{{ value | string | to_json }}"

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
