package import Bindings
package import Controller
package import JSON
import People

/// What a thing at the edge is told, apart from commands.
///
/// `ts` is in each, so that a thing without a clock can set one.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package enum EdgeAnswer: Sendable, Hashable {
    case onboarded(OnboardingAnswer, tx: JSONValue?)
    case notOnboarded(BindingsError, tx: JSONValue?)
    /// Something else was wrong; the topic is the one that it was sent on.
    case error(BindingsError, topic: String)

    /// Where it is published, below the thing's own topics.
    package var topic: EdgeTopic.Answer {
        switch self {
        case .onboarded, .notOnboarded: .onboarded
        case .error: .error
        }
    }

    package func bytes(at now: Instant) -> [UInt8] {
        JSONValue.object(JSONObject { write(to: &$0, at: now) }).bytes
    }

    private func write(to members: inout JSONObject, at now: Instant) {
        switch self {
        case .onboarded(let answer, let tx):
            members.add("status", "ok")
            members.add("thingID", "\(answer.thing)")
            members.add("accessToken", answer.token)
            members.add("owned", answer.isOwned)
            if !answer.ignored.isEmpty { members.add("ignored", answer.ignored) }
            members.add("tx", tx)
        case .notOnboarded(let error, let tx):
            members.add("status", "error")
            members.add("code", error.code)
            members.add("message", error.message)
            members.add("tx", tx)
        case .error(let error, let topic):
            members.add("topic", topic)
            members.add("code", error.code)
            members.add("message", error.message)
        }
        members.add("ts", now.timestamp)
    }
}

/// A command on its way to a thing at the edge.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeCommand: Sendable, Hashable {
    /// The thing ignores one that it had.
    package let id: String
    package let actions: [CommandAction]
    /// `user:` or `group:` with an identifier, or `user:none`.
    package let issuer: String
    /// Empty for a plain set.
    package let schema: String
    package let schemaVersion: Int
    /// The thing ignores the command after this time, milliseconds since 1970.
    package let deadline: Int64

    package init(
        _ id: String,
        _ actions: [CommandAction],
        issuer: String = "user:none",
        schema: String = "",
        schemaVersion: Int = 0,
        deadline: Int64
    ) {
        (self.id, self.actions, self.issuer) = (id, actions, issuer)
        (self.schema, self.schemaVersion, self.deadline) = (schema, schemaVersion, deadline)
    }

    package init(_ command: ThingCommand) {
        self.init(
            command.id,
            command.request.actions,
            issuer: command.issuer?.description ?? "user:none",
            schema: command.request.schema,
            schemaVersion: command.request.schemaVersion,
            deadline: command.deadline
        )
    }

    package func bytes(at now: Instant) -> [UInt8] {
        let json = JSONObject {
            $0.add("commandID", id)
            $0.add("actions", .array(actions.map(\.json)))
            $0.add("issuer", issuer)
            if !schema.isEmpty {
                $0.add("schema", schema)
                $0.add("schemaVersion", schemaVersion)
            }
            $0.add("deadline", Int(deadline))
            $0.add("ts", now.timestamp)
        }
        return JSONValue.object(json).bytes
    }
}
