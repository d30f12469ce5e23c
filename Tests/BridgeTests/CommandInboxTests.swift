import Bridge
import Controller
import Flare
import JSON
import MQTT
import Testing
import Things

struct CommandInboxTests {
    private var inbox = CommandInbox(
        root: "trilateral/desk",
        commands: .tested,
        responses: ResponseTopics(reserved: ["trilateral", "homeassistant"]),
        identify: { _ in nil }
    )

    private func message(_ topic: String, _ payload: String, responseTopic: String? = nil) -> MQTTMessage {
        var properties = MQTTProperties()
        properties.responseTopic = responseTopic
        properties.correlationData = [1, 2]
        return MQTTMessage(topic: topic, payload: Array(payload.utf8), properties: properties)
    }

    @Test mutating func `a command gets a ticket, and its answer finds the way back`() throws {
        let actions = inbox.receive(
            message("trilateral/desk/things/lamp/set", #"{"state":"ON","tx":7}"#, responseTopic: "replies/me")
        )
        guard case .handle(let command)? = actions.last else { throw Unexpected(actions) }
        #expect(command.tx == 7)
        let reply = inbox.reply(with: Answer(ticket: command.ticket, tx: command.tx, subject: .set))
        #expect(reply.topic == "replies/me")
        #expect(reply.correlation == [1, 2])
        #expect(inbox.reply(with: Answer(ticket: command.ticket, tx: nil, subject: .set)).topic == nil)
    }

    @Test mutating func `the answer belongs where the command came, not where its kind usually goes`() throws
    {
        let actions = inbox.receive(message("trilateral/desk/request/environment", "next"))
        guard case .handle(let command)? = actions.last else { throw Unexpected(actions) }
        #expect(
            inbox.reply(with: Answer(ticket: command.ticket, tx: nil, subject: .set)).answer.subject
                == .verb("environment")
        )
    }

    @Test(arguments: [
        "trilateral/desk", "trilateral/desk/things/lamp/set", "trilateral/other/nearby/set", "trilateral",
        "homeassistant/light/x/config", "replies/+", "replies/#", "$SYS/x", "me/answers", "replies2/x",
        "replie",
    ])
    mutating func `a command with a response topic that is not for answers is refused on the usual topic`(
        topic: String
    ) throws {
        let actions = inbox.receive(
            message("trilateral/desk/things/lamp/set", #"{"state":"ON","tx":7}"#, responseTopic: topic)
        )
        guard case .refuse(let reply)? = actions.last else { throw Unexpected(actions) }
        #expect(reply.topic == nil)
        #expect(reply.answer.tx == 7)
        #expect(reply.answer.subject == .set)
        #expect(reply.answer.refusal?.code == .notAllowed)
        let isTopic = !topic.hasPrefix("$") && !topic.contains { "+#".contains($0) }
        let legal = isTopic ? "replies/#" : "no + or #, and must not begin with $"
        #expect(reply.answer.refusal?.message.contains(legal) == true)
    }

    @Test mutating func `correlation data has a limit, and no token in it, whatever is before that`() throws {
        let token = Array("tlu_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE".utf8)
        let cases: [([UInt8], RefusalCode?)] = [
            (Array(repeating: 0x5F, count: 1024), nil), (Array(repeating: 0x5F, count: 1025), .tooLarge),
            ([0xFF] + token, .notAllowed), ([0xFF], nil),
        ]
        for (correlation, code) in cases {
            var sent = message(
                "trilateral/desk/things/lamp/set",
                #"{"state":"ON"}"#,
                responseTopic: "replies/me"
            )
            sent.properties.correlationData = correlation
            switch inbox.receive(sent).last {
            case .handle: #expect(code == nil)
            case .refuse(let reply): #expect(reply.answer.refusal?.code == code)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }

    @Test mutating func `what is wrong with a command is said before what is wrong with its response topic`()
        throws
    {
        let actions = inbox.receive(message("trilateral/desk/nearby/set", "nonsense", responseTopic: "a"))
        guard case .refuse(let reply)? = actions.last else { throw Unexpected(actions) }
        #expect(reply.topic == nil)
        #expect(reply.answer.refusal?.code == .badJSON)
    }

    @Test mutating func `a response topic has at most as many levels as brokers take`() throws {
        func actions(_ slashes: Int) -> CommandInbox.Action? {
            let topic = "replies" + String(repeating: "/a", count: slashes)
            return inbox.receive(message("trilateral/desk/request/ping", "", responseTopic: topic)).last
        }
        guard case .handle? = actions(200) else { return #expect(Bool(false), "200 slashes are legal") }
        guard case .refuse(let reply)? = actions(201) else { return #expect(Bool(false), "201 are not") }
        #expect(reply.topic == nil)
        #expect(reply.answer.refusal?.code == .notAllowed)
        #expect(reply.answer.refusal?.message.contains("at most 200 slashes") == true)
    }

    @Test func `the topics of the node and of discovery are reserved, whatever is configured`() {
        let topics = ResponseTopics(["trilateral/#", "ha/#", "a/+/b"], reserved: ["trilateral", "ha"])
        #expect(!topics.contains("trilateral/desk/nearby/set"))
        #expect(!topics.contains("ha/device/x/config"))
        #expect(topics.contains("a/x/b"))
        #expect(!topics.contains("a/x/c"))
        #expect(!ResponseTopics(["#"]).contains("$SYS/x"))
        #expect(!ResponseTopics(["#"]).contains("a\u{0}b"))
        #expect(!ResponseTopics(["#"]).contains(String(repeating: "a", count: 65_536)))
        #expect(!ResponseTopics([]).contains("replies/x"))
    }

    @Test mutating func `a payload that was too large to take in is refused with its size`() throws {
        var large = message("trilateral/desk/nearby/set", "")
        large.oversizeBytes = 5_000_000
        let actions = inbox.receive(large)
        guard case .refuse(let reply)? = actions.last else { throw Unexpected(actions) }
        #expect(reply.answer.refusal?.code == .tooLarge)
        #expect(reply.answer.refusal?.message.contains("5000000") == true)
    }

    @Test(arguments: ["trilateral/desk", "trilateral/desk/state", "trilateral/desktop/nearby/set", "x"])
    mutating func `what is on no command topic is nothing`(topic: String) {
        #expect(inbox.receive(message(topic, "{}")) == [])
    }

    private struct Unexpected: Error {
        let actions: [CommandInbox.Action]
        init(_ actions: [CommandInbox.Action]) { self.actions = actions }
    }
}
