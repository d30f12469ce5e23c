package import JSON
import Text
package import Things

/// A command as it is asked for, whose form is checked; whether its actions are legal is not.
///
/// - Source: contrib/contract/bindings.md, "Commands".
package struct CommandRequest: Sendable, Hashable {
    /// In the order in which they are done.
    package let actions: [CommandAction]
    /// The caller, or a group of his; `nil` for the caller.
    package let issuer: OwnerName?
    package let schema: String
    package let schemaVersion: Int
    package let title: String?
    package let description: String?
    package let metadata: JSONObject?

    package static let maximumActions = 50
    /// Bytes of the whole request as compact JSON.
    package static let maximumBytes = 64_512
    /// Levels of objects and lists within each other, with the request's own.
    package static let maximumDepth = 16
    /// Characters.
    package static let longestTitle = 50
    package static let longestDescription = 200
    /// Bytes of an action's name, and of the schema's.
    package static let longestName = 200

    package init(
        _ actions: [CommandAction],
        issuer: OwnerName? = nil,
        schema: String = "",
        schemaVersion: Int = 0,
        title: String? = nil,
        description: String? = nil,
        metadata: JSONObject? = nil
    ) {
        (self.actions, self.issuer) = (actions, issuer)
        (self.schema, self.schemaVersion) = (schema, schemaVersion)
        (self.title, self.description, self.metadata) = (title, description, metadata)
    }
}

// MARK: - Reading

extension CommandRequest {
    /// Reads the body of a request over HTTP.
    package init(_ json: JSONValue) throws(Refusal) {
        let required = ["actions", "issuer", "schema", "schemaVersion"]
        let body = try ReceivedObject(json, at: "", known: required + ["title", "description", "metadata"])
        try Self.checkSize(json)
        let issuer = try body.text("issuer", OwnerName.rule)
        guard let issuerName = OwnerName(issuer) else {
            throw body.invalid("issuer", .string(issuer), OwnerName.rule)
        }
        let legal = "a text of at most \(Self.longestName) bytes"
        let schema = try body.text("schema", legal)
        guard schema.utf8.count <= Self.longestName else {
            throw body.invalid("schema", .string(schema), legal)
        }
        let versions = 0...Int64(Int32.max)
        _ = try body.required("schemaVersion", "a whole number from 0 to \(versions.upperBound)")
        self.init(
            try Self.actions(in: body),
            issuer: issuerName,
            schema: schema,
            schemaVersion: Int(try body.optionalWhole("schemaVersion", versions) ?? 0),
            title: try Self.text("title", Self.longestTitle, in: body),
            description: try Self.text("description", Self.longestDescription, in: body),
            metadata: try body.optionalObject("metadata")
        )
    }

    /// Reads a message on the topic of a thing's commands.
    ///
    /// - Parameter others: Members that every message may have.
    package init(message json: JSONValue, others: [String] = ["tx", "token"]) throws(Refusal) {
        let body = try ReceivedObject(json, at: "", known: ["actions", "title"] + others)
        try Self.checkSize(json)
        self.init(try Self.actions(in: body), title: try Self.text("title", Self.longestTitle, in: body))
    }

    private static func checkSize(_ json: JSONValue) throws(Refusal) {
        var buffer = JSONBuffer()
        buffer.write(json)
        guard buffer.count <= maximumBytes else {
            throw Refusal(.tooLarge, "a command must have at most \(maximumBytes) bytes, has \(buffer.count)")
        }
        guard buffer.nesting <= maximumDepth else {
            throw Refusal(
                .invalidValue,
                "a command must have at most \(maximumDepth) levels, has \(buffer.nesting)"
            )
        }
    }

    private static func text(
        _ name: String,
        _ longest: Int,
        in body: ReceivedObject
    ) throws(Refusal) -> String? {
        guard body.optional(name) != nil else { return nil }
        let legal = "a text of at most \(longest) characters"
        guard let text = try body.optionalText(name, legal) else { return nil }
        guard text.unicodeScalars.count <= longest else { throw body.invalid(name, .string(text), legal) }
        return text
    }

    private static let legalActions =
        "a list of 1 to \(maximumActions) actions, such as {\"brightness\":0.4}"

    private static func actions(in body: ReceivedObject) throws(Refusal) -> [CommandAction] {
        let legal = legalActions
        let value = try body.required("actions", legal)
        guard let list = value.array else { throw body.wrongType("actions", value, legal) }
        guard 1...maximumActions ~= list.count else {
            throw body.refusal(.invalidValue, of: "actions", "must be \(legal), has \(list.count)")
        }
        var actions: [CommandAction] = []
        for (index, json) in list.enumerated() {
            // Most commands have no use for it.
            var path: String { "actions[\(index)]" }
            guard let members = json.object else {
                throw body.wrongType(path, json, "an object of one member")
            }
            guard members.count == 1, let (name, value) = members.first else {
                throw body.refusal(.invalidValue, of: path, "must have one member, has \(members.count)")
            }
            guard 1...longestName ~= name.utf8.count else {
                throw body.refusal(.invalidValue, of: path, "must have a name of 1 to \(longestName) bytes")
            }
            actions.append(CommandAction(name, value))
        }
        return actions
    }
}
