package import Flare

/// Why a client's JSON is no object of Flare, in the shapes in which the origin's database layer says so.
/// - Source: flare-protocol 2.4; clients only notice that `_id` is missing.
package enum FlareSchemaError: Error, Sendable, Hashable {
    /// One value that does not fit its place.
    package struct Failure: Sendable, Hashable {
        /// The member, dotted.
        package let path: String
        package let type: String
        package let value: JSONValue
    }

    /// One value, in an identifier or in a change.
    case cast(model: String, Failure)
    /// Every value at fault, in a new object.
    case validation(model: String, [Failure])
    /// A name in the data with a dot or a leading `$`.
    case unstorable(key: String)
    /// A change that has no meaning.
    case refused(String)
    case notAnObject(JSONValue)

    /// The body of the answer.
    package var json: JSONValue {
        switch self {
        case .cast(let model, let failure):
            return failure.json(type: failure.type, suffix: " for model \"\(model)\"")
        case .validation(let model, let failures):
            let failures = failures.sorted { $0.path < $1.path }
            let errors = failures.map { failure in
                // The outer error names the types a little differently from its reason; so did the origin.
                let type = failure.type == "ObjectId" ? "ObjectID" : failure.type
                let reason = failure.json(
                    type: failure.type == "ObjectId" ? failure.type : failure.type.lowercased()
                )
                return (failure.path, failure.json(type: type).adding("reason", reason))
            }
            let texts = errors.map { "\($0): \($1["message"]?.string ?? "")" }
            return [
                "name": "ValidationError", "_message": .string("\(model) validation failed"),
                "message": .string("\(model) validation failed: \(texts.joined(separator: ", "))"),
                "errors": .object(Dictionary(errors) { first, _ in first }),
            ]
        case .unstorable: return [:]
        case .refused(let reason): return ["name": "MongoError", "message": .string(reason)]
        case .notAnObject(let value):
            return [
                "name": "ObjectExpectedError", "path": "",
                "message": .string("an object should be here, not \(String(value.text.prefix(80)))"),
            ]
        }
    }
}

extension FlareSchemaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unstorable(let key): "\"\(key)\" is no name for data: it may not hold a dot or start with $"
        default: json["message"]?.string ?? ""
        }
    }
}

extension FlareSchemaError.Failure {
    fileprivate func json(type: String, suffix: String = "") -> JSONValue {
        let shown = value.string.map { "\"\($0)\"" } ?? "\"\(value.text)\""
        return [
            "name": "CastError", "kind": .string(type), "path": .string(path), "value": value,
            "stringValue": .string(shown),
            "message": .string("Cast to \(type) failed for value \(shown) at path \"\(path)\"\(suffix)"),
        ]
    }
}

extension JSONValue {
    fileprivate func adding(_ key: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[key] = value
        return .object(members)
    }
}
