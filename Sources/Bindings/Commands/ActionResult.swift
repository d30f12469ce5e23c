package import JSON
import Text
package import Things

/// One action of a command: what a set takes, or the name of an action.
///
/// - Source: contrib/contract/bindings.md, "Commands".
package struct CommandAction: Sendable, Hashable {
    package let name: String
    package let value: JSONValue

    package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }

    package var json: JSONValue { .object([name: value]) }
}

/// What became of one action of a command.
///
/// - Source: contrib/contract/bindings.md, "Results".
package struct ActionResult: Sendable, Hashable {
    package let name: String
    package let isSucceeded: Bool
    package let errorMessage: String?
    package let data: JSONValue?

    /// Characters of a message; longer ones are cut off.
    package static let longestMessage = 1000

    package init(_ name: String, isSucceeded: Bool, errorMessage: String? = nil, data: JSONValue? = nil) {
        (self.name, self.isSucceeded, self.data) = (name, isSucceeded, data)
        self.errorMessage = errorMessage.map { QuotedValue.clipped($0, to: Self.longestMessage) }
    }

    /// The result of an action that was refused.
    package init(_ name: String, refused error: BindingsError) {
        self.init(name, isSucceeded: false, errorMessage: "\(error.code): \(error.message)")
    }

    package var json: JSONValue {
        var result: JSONObject = ["succeeded": .bool(isSucceeded)]
        result["errorMessage"] = errorMessage.map { .string($0) }
        result["data"] = data
        return .object([name: .object(result)])
    }
}

// MARK: - Reading

extension ActionResult {
    /// Bytes of all results as compact JSON.
    package static let maximumBytes = 64_512
    /// Levels of objects and lists within each other, with the list of results.
    package static let maximumDepth = 16

    /// Reads the body in which a thing answers a command: `{"actionResults":[…]}`, with the command's actions in order.
    ///
    /// - Parameter others: Members that may be there too.
    package static func results(
        _ json: JSONValue,
        of actions: [CommandAction],
        others: [String] = []
    ) throws(Refusal) -> [ActionResult] {
        let body = try ReceivedObject(json, at: "", known: ["actionResults"] + others)
        let legal = "a list of \(actions.count) results, one for each action in order"
        let value = try body.required("actionResults", legal)
        guard let list = value.array else { throw body.wrongType("actionResults", value, legal) }
        var buffer = JSONBuffer()
        buffer.write(value)
        guard buffer.count <= maximumBytes else {
            let rest = "must have at most \(maximumBytes) bytes, has \(buffer.count)"
            throw body.refusal(.tooLarge, of: "actionResults", rest)
        }
        guard buffer.nesting <= maximumDepth else {
            let rest = "must have at most \(maximumDepth) levels, has \(buffer.nesting)"
            throw body.refusal(.invalidValue, of: "actionResults", rest)
        }
        guard list.count == actions.count else {
            throw body.refusal(.invalidValue, of: "actionResults", "must be \(legal), has \(list.count)")
        }
        var results: [ActionResult] = []
        for (index, (json, action)) in zip(list, actions).enumerated() {
            results.append(try result(json, of: action, at: "actionResults[\(index)]"))
        }
        return results
    }

    private static func result(
        _ json: JSONValue,
        of action: CommandAction,
        at path: String
    ) throws(Refusal) -> ActionResult {
        let named = try ReceivedObject(json, at: path, known: [action.name])
        let name = action.name
        let value = try named.required(name, "the result of this action, such as {\"succeeded\":true}")
        let result = try ReceivedObject(
            value,
            at: named.path(of: name),
            known: ["succeeded", "errorMessage", "data"]
        )
        guard let isSucceeded = try result.optionalFlag("succeeded") else {
            throw result.refusal(.invalidValue, of: "succeeded", "is missing; it must be true or false")
        }
        return ActionResult(
            name,
            isSucceeded: isSucceeded,
            errorMessage: try result.optionalText("errorMessage", "a text"),
            data: result.optional("data")
        )
    }
}
