import JSON
import Text
import Things

/// The members of an object in a request.
struct ReceivedObject: ReceivedMembers {
    let members: JSONObject
    /// Where the object is in the request, such as `query.clause`; empty for the request itself.
    let path: String

    /// - Parameter known: The members that may be in it.
    init(_ value: JSONValue, at path: String, known: [String]) throws(Refusal) {
        members = try Self.members(of: value, at: path, whole: "the request")
        self.path = path
        for (key, _) in members where !known.contains(key) {
            throw refusal(
                .invalidValue,
                of: key,
                "is unknown\(NearestName.choice(for: key, among: known, "known are"))"
            )
        }
    }

    func found(_ name: String) -> (key: String, value: JSONValue)? {
        members[name].flatMap { $0.isNull ? nil : (name, $0) }
    }
}

// MARK: - Kinds of members

extension ReceivedObject {
    func optionalFlag(_ name: String) throws(Refusal) -> Bool? {
        guard let value = optional(name) else { return nil }
        guard let flag = value.bool else { throw wrongType(name, value, "true or false") }
        return flag
    }

    func optionalObject(_ name: String) throws(Refusal) -> JSONObject? {
        guard let value = optional(name) else { return nil }
        guard let object = value.object else { throw wrongType(name, value, "an object") }
        return object
    }

    func optionalList(_ name: String) throws(Refusal) -> [JSONValue]? {
        guard let value = optional(name) else { return nil }
        guard let list = value.array else { throw wrongType(name, value, "a list") }
        return list
    }

    /// A finite number.
    func optionalNumber(_ name: String) throws(Refusal) -> Double? {
        guard let value = optional(name) else { return nil }
        guard let number = value.number, number.isFinite else { throw wrongType(name, value, "a number") }
        return number
    }
}
