package import JSON
import Text
package import Things

/// The results of a command as a thing reports them on its topic, before its actions are known here.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct CommandReport: Sendable, Hashable {
    package let commandID: String
    private let body: JSONValue

    /// Bytes of a command's identifier.
    package static let longestID = 200
    /// Bytes of the whole message.
    package static let maximumMessage = 131_072

    /// Checks the form, apart from the results themselves.
    package init(_ json: JSONValue) throws(Refusal) {
        let body = try ReceivedObject(json, at: "", known: ["commandID", "actionResults"])
        let legal = "the commandID of a command that the thing was sent"
        let id = try body.text("commandID", legal)
        guard 1...Self.longestID ~= id.utf8.count else {
            throw body.invalid("commandID", .string(id), "a text of 1 to \(Self.longestID) bytes")
        }
        let most = "a list of 1 to \(CommandRequest.maximumActions) results, one for each action in order"
        let value = try body.required("actionResults", most)
        guard let list = value.array else { throw body.wrongType("actionResults", value, most) }
        guard 1...CommandRequest.maximumActions ~= list.count else {
            throw body.refusal(.invalidValue, of: "actionResults", "must be \(most), has \(list.count)")
        }
        var buffer = JSONBuffer()
        buffer.write(value)
        guard buffer.count <= ActionResult.maximumBytes else {
            let rest = "must have at most \(ActionResult.maximumBytes) bytes, has \(buffer.count)"
            throw body.refusal(.tooLarge, of: "actionResults", rest)
        }
        guard buffer.nesting <= ActionResult.maximumDepth else {
            let rest = "must have at most \(ActionResult.maximumDepth) levels, has \(buffer.nesting)"
            throw body.refusal(.invalidValue, of: "actionResults", rest)
        }
        commandID = id
        self.body = json
    }

    /// The results of the command's actions, in order.
    package func results(of actions: [CommandAction]) throws(Refusal) -> [ActionResult] {
        try ActionResult.results(body, of: actions, others: ["commandID"])
    }
}
