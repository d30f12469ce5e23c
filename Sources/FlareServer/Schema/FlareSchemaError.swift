package import JSON

/// Why a client's JSON is not a valid object, in the formats of the original database layer.
/// - Source: contrib/contract/flare-protocol.md, "2.4 Errors"; clients only check for `_id`.
package enum FlareSchemaError: Error, Sendable, Hashable {
    /// A value of the wrong type.
    package struct Failure: Sendable, Hashable {
        /// The dotted path of the member.
        package let path: String
        package let type: String
        package let value: JSONValue
    }

    /// An invalid identifier, or an invalid value in a change.
    case cast(model: String, Failure)
    /// All invalid values of a new object.
    case validation(model: String, [Failure])
    /// A name in the data with a dot or a leading `$`.
    case unstorable(key: String)
    /// An unsupported change.
    case refused(String)
    case notAnObject(JSONValue)

    /// The body of the response.
    package var json: JSONValue {
        switch self {
        case .cast(let model, let failure):
            return failure.json(type: failure.type, suffix: " for model \"\(model)\"")
        case .validation(let model, let failures):
            let failures = failures.sorted { $0.path < $1.path }
            let errors = failures.map { failure in
                // As in the original server, the outer error spells the types differently from its reason.
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
                "errors": .object(JSONObject(errors) { first, _ in first }),
            ]
        case .unstorable: return [:]
        case .refused(let reason): return ["name": "MongoError", "message": .string(reason)]
        case .notAnObject(let value):
            return [
                "name": "ObjectExpectedError", "path": "",
                "message": .string("expected an object, not \(String(value.text.prefix(80)))"),
            ]
        }
    }
}

extension FlareSchemaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unstorable(let key):
            "\"\(key)\" is not a valid name in data: it must not contain a dot or start with $"
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
