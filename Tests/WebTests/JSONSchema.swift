import JSON

/// Checks values against the part of JSON Schema that the API's description uses.
/// - Source: JSON Schema 2020-12, as in OpenAPI 3.1.
struct JSONSchema {
    /// Where `#/…` leads.
    let document: JSONValue

    private static let annotations: Set<String> = ["description", "format", "example"]

    /// What is wrong with a value, each with its place; empty if it is valid.
    func problems(of value: JSONValue, _ schema: JSONValue, at place: String = "$") -> [String] {
        guard let members = schema.object else { return ["\(place): the schema is no object"] }
        return members.sorted { $0.key < $1.key }.flatMap { keyword, rule -> [String] in
            check(value, keyword, rule, members).map { "\(place)\($0)" }
        }
    }

    /// The part of the document that a reference names.
    func resolve(_ schema: JSONValue) -> JSONValue? {
        guard let reference = schema["$ref"]?.string else { return schema }
        guard reference.hasPrefix("#/") else { return nil }
        var found: JSONValue? = document
        for part in reference.dropFirst(2).split(separator: "/") { found = found?[String(part)] }
        return found
    }

    private func check(
        _ value: JSONValue,
        _ keyword: String,
        _ rule: JSONValue,
        _ schema: JSONObject
    )
        -> [String]
    {
        switch keyword {
        case _ where Self.annotations.contains(keyword): return []
        case "$ref":
            guard let target = resolve(["$ref": rule]) else { return [": no \(rule)"] }
            return nested(value, target, "")
        case "type":
            let types = rule.array ?? [rule]
            return types.contains { Self.has(value, type: $0.string ?? "") } ? [] : [": is not \(rule)"]
        case "const": return value == rule ? [] : [": is not \(rule)"]
        case "enum": return rule.array?.contains(value) == true ? [] : [": \(value) is not in \(rule)"]
        case "required":
            return (rule.array ?? []).compactMap(\.string).filter {
                value.object?[$0] == nil && value.object != nil
            }
            .map { ": lacks \($0)" }
        case "properties":
            return (rule.object ?? [:]).flatMap { name, schema in
                value.object?[name].map { nested($0, schema, ".\(name)") } ?? []
            }
        case "additionalProperties":
            let known = Set(schema["properties"]?.object.map { Array($0.keys) } ?? [])
            return (value.object ?? [:]).filter { !known.contains($0.key) }.flatMap { name, member in
                rule == false ? [": has \(name)"] : rule == true ? [] : nested(member, rule, ".\(name)")
            }
        case "items":
            return (value.array ?? []).enumerated().flatMap { nested($1, rule, "[\($0)]") }
        case "anyOf", "oneOf":
            let valid = (rule.array ?? []).filter { problems(of: value, $0).isEmpty }.count
            return valid == 1 || valid > 1 && keyword == "anyOf" ? [] : [": fits \(valid) of \(keyword)"]
        case "allOf": return (rule.array ?? []).flatMap { nested(value, $0, "") }
        case "not": return problems(of: value, rule).isEmpty ? [": fits what it must not"] : []
        case "propertyNames":
            return (value.object ?? [:]).keys.sorted().flatMap {
                nested(.string($0), rule, ": the name \($0)")
            }
        case "minimum":
            return (value.number ?? .infinity) >= (rule.number ?? .nan) ? [] : [": is below \(rule)"]
        case "maximum":
            return (value.number ?? -.infinity) <= (rule.number ?? .nan) ? [] : [": is above \(rule)"]
        case "exclusiveMinimum":
            return (value.number ?? .infinity) > (rule.number ?? .nan) ? [] : [": is not above \(rule)"]
        case "exclusiveMaximum":
            return (value.number ?? -.infinity) < (rule.number ?? .nan) ? [] : [": is not below \(rule)"]
        case "minLength":
            return (value.string?.count ?? .max) >= (rule.integer ?? .max) ? [] : [": is too short"]
        case "maxLength":
            return (value.string?.count ?? 0) <= (rule.integer ?? -1) ? [] : [": is too long"]
        case "minItems":
            return (value.array?.count ?? .max) >= (rule.integer ?? .max) ? [] : [": has too few elements"]
        case "maxItems":
            return (value.array?.count ?? 0) <= (rule.integer ?? -1) ? [] : [": has too many elements"]
        case "maxProperties":
            return (value.object?.count ?? 0) <= (rule.integer ?? -1) ? [] : [": has too many members"]
        case "minProperties":
            return (value.object?.count ?? .max) >= (rule.integer ?? .max) ? [] : [": has too few members"]
        case "pattern":
            guard let text = value.string else { return [] }
            guard let expression = try? Regex(rule.string ?? "(") else { return [": bad pattern \(rule)"] }
            return text.contains(expression) ? [] : [": does not match \(rule)"]
        default: return [": the schema has the unknown keyword \(keyword)"]
        }
    }

    private func nested(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        problems(of: value, schema, at: place)
    }

    private static func has(_ value: JSONValue, type: String) -> Bool {
        switch type {
        case "null": value.isNull
        case "boolean": value.bool != nil
        case "integer": value.number.map { $0.rounded() == $0 } ?? false
        case "number": value.number != nil
        case "string": value.string != nil
        case "array": value.array != nil
        case "object": value.object != nil
        default: false
        }
    }
}
