import JSON
import Text
import Things

/// The members of an object in a rule, whose names may be in camelCase or in snake_case.
/// - Source: contrib/contract/rules.md, "Four spellings".
struct RuleObject: ReceivedMembers {
    let members: JSONObject
    /// Where the object is in the rule, such as `when[0]`; empty for the rule itself.
    let path: String

    init(_ value: JSONValue, at path: String) throws(Refusal) {
        self.init(try Self.members(of: value, at: path, whole: "a rule"), at: path)
    }

    init(_ members: JSONObject, at path: String) { (self.members, self.path) = (members, path) }

    /// The name in snake_case: `trigger_uuid` of `triggerUUID`.
    static func snakeCase(_ name: String) -> String {
        var snake = ""
        var wasUpper = true
        for scalar in name.unicodeScalars {
            let isUpper = ("A"..."Z").contains(scalar)
            if isUpper, !wasUpper { snake += "_" }
            snake += isUpper ? String(scalar).lowercased() : String(scalar)
            wasUpper = isUpper
        }
        return snake
    }

    /// Whether there is a member, also one that is null.
    func has(_ name: String) -> Bool {
        members[name] != nil || members[Self.snakeCase(name)] != nil
    }

    func found(_ name: String) -> (key: String, value: JSONValue)? {
        for key in [name, Self.snakeCase(name)] {
            if let value = members[key], !value.isNull { return (key, value) }
        }
        return nil
    }
}

// MARK: - Kinds of members

extension RuleObject {
    func flag(_ name: String) throws(Refusal) -> Bool? {
        guard let value = optional(name) else { return nil }
        // Some of Ayla's programs write 0 and 1.
        if let whole = value.integer, 0...1 ~= whole { return whole == 1 }
        guard let flag = value.bool else { throw wrongType(name, value, "true or false") }
        return flag
    }

    func object(_ name: String) throws(Refusal) -> RuleObject? {
        guard let value = optional(name) else { return nil }
        guard let object = value.object else { throw wrongType(name, value, "an object") }
        return RuleObject(object, at: path(of: name))
    }

    /// A list with so many elements; `nil` if it is absent.
    func list(
        _ name: String,
        _ count: ClosedRange<Int>,
        of elements: String
    ) throws(Refusal) -> [JSONValue]? {
        guard let value = optional(name) else { return nil }
        let legal = "a list of \(count.lowerBound) to \(count.upperBound) \(elements)"
        guard let list = value.array else { throw wrongType(name, value, legal) }
        guard count.contains(list.count) else {
            throw refusal(.invalidValue, of: name, "must be \(legal), has \(list.count)")
        }
        return list
    }

    /// A number that is finite.
    func number(_ name: String, _ legal: ClosedRange<Double>) throws(Refusal) -> Double? {
        guard let value = optional(name) else { return nil }
        let (low, high) = (JSONValue.number(legal.lowerBound), JSONValue.number(legal.upperBound))
        let range = "a number from \(low) to \(high)"
        guard let number = value.number else { throw wrongType(name, value, range) }
        guard legal.contains(number) else { throw invalid(name, value, range) }
        return number
    }
}
