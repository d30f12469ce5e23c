import JSON
import Things

/// Values as Ayla's service has them, where each may be written as a text.
/// - Source: the public SDKs of AylaNetworks, `baseType`.
enum AylaValue {
    private enum BaseType: String, CaseIterable {
        case boolean, integer, decimal, string
    }

    /// The value of a member in the type that `baseType` names.
    ///
    /// Without one, a text that is a number, true or false is that.
    static func value(_ name: String, in object: RuleObject) throws(Refusal) -> JSONValue {
        let legal = "a text, a number, true or false"
        let value = try object.required(name, legal)
        switch value {
        case .null, .array, .object: throw object.wrongType(name, value, legal)
        case .bool, .number, .numeral, .string: break
        }
        switch try type(of: object) {
        case .string: return value.string == nil ? .string(value.text) : value
        case .boolean:
            switch value.string ?? value.text {
            case "1", "true": return true
            case "0", "false": return false
            default: throw object.invalid(name, value, "0, 1, true or false, as baseType is boolean")
            }
        case .integer, .decimal:
            guard let number = number(value) else {
                throw object.invalid(name, value, "a number, as baseType says")
            }
            return number
        case nil:
            switch value.string {
            case "true": return true
            case "false": return false
            default: return number(value) ?? value
            }
        }
    }

    private static func type(of object: RuleObject) throws(Refusal) -> BaseType? {
        // Other types, as of files, are of properties that no rule sets.
        guard let text = try object.optionalText("baseType", "a text") else { return nil }
        return BaseType(rawValue: text)
    }

    /// A number, also one that is written as a text.
    private static func number(_ value: JSONValue) -> JSONValue? {
        let number = value.string.flatMap { $0.utf8.count <= 40 ? try? JSONValue(parsing: $0) : nil } ?? value
        guard let double = number.number, double.isFinite else { return nil }
        return number
    }
}
