import Bridge
import Controller
import Flare
import MQTT
import People
import Testing
import Things

/// Callers on MQTT.
struct CommandInboxCallerTests {
    private static let owner = AccountID(high: 1, low: 1)
    private static let bob = AccountID(high: 1, low: 2)
    private static let ann = AccountID(high: 1, low: 3)

    /// Bob has a token, ann may only be vouched for.
    private static func identify(_ claim: Claim) -> Caller? {
        switch claim {
        case .unnamed(.mqtt): .user(owner)
        case .unnamed, .trusted, .session, .listenerSession: nil
        case .token("tlu_bob", let name): name == nil || name == "bob" ? .user(bob, ceiling: .read) : nil
        case .token: nil
        case .vouched(let name): ["bob": Caller.user(bob), "ann": .user(ann)][name]
        }
    }

    private var inbox = CommandInbox(root: "t/n", commands: .tested, hasUserTopics: true, identify: identify)

    private func message(
        _ tail: String,
        _ payload: String,
        responseTopic: String? = nil,
        isRetained: Bool = false
    ) -> MQTTMessage {
        var properties = MQTTProperties()
        properties.responseTopic = responseTopic
        properties.correlationData = [1]
        return MQTTMessage(
            topic: "t/n/\(tail)",
            payload: Array(payload.utf8),
            isRetained: isRetained,
            properties: properties
        )
    }

    private struct Unexpected: Error { let actions: [CommandInbox.Action] }

    private mutating func command(
        _ tail: String,
        _ payload: String,
        responseTopic: String? = nil
    ) throws -> Command {
        let actions = inbox.receive(message(tail, payload, responseTopic: responseTopic))
        guard actions.count == 1, case .handle(let command) = actions[0] else {
            throw Unexpected(actions: actions)
        }
        return command
    }

    @Test(
        arguments: [
            ("things/lamp/set", #"{"state":"ON"}"#, .user(owner)), ("nearby/set/state", "ON", .user(owner)),
            ("request/ping", "", .user(owner)),
            // By token, with the ceiling that it has.
            ("things/lamp/set", #"{"state":"ON","token":"tlu_bob"}"#, .user(bob, ceiling: .read)),
            ("things/lamp/get", #"{"token":"tlu_bob","as":"bob"}"#, .user(bob, ceiling: .read)),
            // A wrong claim is nobody's, even where the plain caller could do it.
            ("things/lamp/get", #"{"token":"tlu_eve"}"#, nil), ("things/lamp/get", #"{"token":""}"#, nil),
            ("things/lamp/get", #"{"token":"tlu_bob","as":"ann"}"#, nil),
            ("things/lamp/get", #"{"as":"owner"}"#, nil), ("things/lamp/get", #"{"as":""}"#, nil),
            // By topic.
            ("users/bob/things/lamp/get", "", .user(bob)),
            ("users/ann/nearby/set/state", "ON", .user(ann)),
            ("users/eve/things/lamp/get", "", nil), ("users/none/things/lamp/get", "", nil),
            ("users/bob/things/lamp/get", #"{"token":"tlu_bob"}"#, .user(bob, ceiling: .read)),
            ("users/ann/things/lamp/get", #"{"token":"tlu_bob"}"#, nil),
            ("users/ann/things/lamp/get", #"{"token":"tlu_bob","as":"bob"}"#, nil),
            ("users/bob/things/lamp/get", #"{"as":"bob"}"#, nil),
        ] as [(String, String, Caller?)]
    )
    mutating func `the caller is who the claim proves`(tail: String, payload: String, caller: Caller?)
        throws
    {
        let command = try command(tail, payload)
        #expect(command.caller == caller)
        #expect(command.source == "t/n/\(tail)")
        #expect(!"\(command.operation)".contains("tlu_"))
    }

    @Test mutating func `a refusal for its form carries who sent it`() throws {
        for (tail, payload, caller) in [
            ("things/lamp/get", #"{"txx":1,"token":"tlu_bob"}"#, Caller.user(Self.bob, ceiling: .read)),
            ("things/lamp/get", #"{"txx":1,"token":"tlu_eve"}"#, nil),
            ("things/lamp/get", #"{"token":5}"#, nil), ("things/lamp/get", #"{"as":5}"#, nil),
            ("things/lamp/get", "{", .user(Self.owner)), ("users/ann/things/lamp/get", "{", .user(Self.ann)),
            ("users/eve/things/lamp/get", "{", nil),
        ] {
            guard case .refuse(let reply)? = inbox.receive(message(tail, payload)).last else {
                Issue.record("accepted")
                return
            }
            #expect(reply.caller == caller, "\(tail) \(payload)")
            #expect(
                reply.user == (tail.hasPrefix("users/ann") ? "ann" : tail.hasPrefix("users") ? "eve" : nil)
            )
        }
        var large = message("users/bob/nearby/set", "")
        large.oversizeBytes = 5_000_000
        guard case .refuse(let reply)? = inbox.receive(large).last else { throw Unexpected(actions: []) }
        #expect(reply.user == "bob" && reply.caller == .user(Self.bob))
    }

    @Test(
        arguments: [
            ("users/bob/things/lamp/get", "t/n/users/bob/response/mine", "t/n/users/bob/response/mine"),
            ("users/bob/things/lamp/get", "t/n/users/bob/response/", nil),
            ("users/bob/things/lamp/get", "t/n/users/bob/response/a/b", nil),
            ("users/bob/things/lamp/get", "t/n/users/bob/response/+", nil),
            ("users/bob/things/lamp/get", "t/n/users/ann/response/mine", nil),
            ("users/bob/things/lamp/get", "t/n/users/bob/things/lamp/set", nil),
            ("users/bob/things/lamp/get", "replies/bob/1", nil), ("users/bob/things/lamp/get", "a", nil),
            ("things/lamp/get", "t/n/users/bob/response/get", nil),
            ("things/lamp/get", "replies/bob/1", "replies/bob/1"),
        ] as [(String, String, String?)]
    )
    mutating func `a user's answers stay on the user's topics`(tail: String, wanted: String, topic: String?)
        throws
    {
        let actions = inbox.receive(message(tail, "", responseTopic: wanted))
        let reply: CommandInbox.Reply
        switch actions.last {
        case .handle(let command)?:
            reply = inbox.reply(with: Answer(ticket: command.ticket, tx: nil, subject: .get))
        case .refuse(let refusal)?:
            reply = refusal
            #expect(topic == nil)
            #expect(refusal.answer.refusal?.code == .notAllowed)
        default: throw Unexpected(actions: actions)
        }
        #expect(reply.topic == topic)
        #expect(reply.user == (tail.hasPrefix("users/") ? "bob" : nil))
    }

    @Test(arguments: [
        "users", "users/", "users/bob", "users/bob/", "users//things/lamp/get", "users/bob/state",
        "users/Bob/things/lamp/get", "users/b\u{0}b/things/lamp/get", "users/b\nb/things/lamp/get",
        "users/+/things/lamp/get", "users/#/things/lamp/get", "users/é/things/lamp/get",
        "users/../things/lamp/get", "users/bob/users/bob/things/lamp/get", "users/bob/things/lamp/get/x/y",
        "users/\(String(repeating: "b", count: 65))/things/lamp/get", "users/bob /things/lamp/get",
    ])
    mutating func `a name that nobody can have is no command`(tail: String) {
        #expect(inbox.receive(message(tail, "")) == [])
    }

    @Test func `topics of users count only where they are switched on`() {
        var inbox = CommandInbox(root: "t/n", commands: .tested, identify: Self.identify)
        #expect(inbox.receive(message("users/bob/things/lamp/get", "")) == [])
    }

    @Test mutating func `the alert about a retained command does not tell whose it was`() {
        let actions = inbox.receive(message("users/bob/nearby/set", "{}", isRetained: true))
        guard case .updateAlert(let commands)? = actions.first,
            case .alertRaised(_, _, let text) = commands.event
        else {
            Issue.record("\(actions)")
            return
        }
        #expect(text.contains("t/n/users/+/nearby/set") && !text.contains("bob"), "\(text)")
        #expect(inbox.receive(message("users/bob/nearby/set", "")).count == 1)
    }

    @Test func `any name and any claim is decided and nothing traps`() {
        var random = SystemRandomNumberGenerator()
        var inbox = inbox
        let parts = [
            "users", "bob", "ann", "", "+", "#", "/", "\u{0}", "\u{7F}", "\n", "$SYS", "é", "things", "lamp",
            "set", "get", "nearby", "request", "ping", "..",
        ]
        let payloads = [
            "", "{}", #"{"token":"tlu_bob"}"#, #"{"as":"bob"}"#, #"{"token":[],"as":{}}"#,
            "{\"token\":\"\u{1}\"}",
            #"{"token":"tlu_bob","as":"b/o#b"}"#, "ON", #"{"as":"\u0000"}"#,
        ]
        for _ in 0..<20_000 {
            let tail = (0..<Int.random(in: 1...6, using: &random))
                .map { _ in parts.randomElement(using: &random) ?? "" }.joined(separator: "/")
            let payload = payloads.randomElement(using: &random) ?? ""
            for action in inbox.receive(message("users/\(tail)", payload)) {
                switch action {
                case .handle(let command):
                    let reply = inbox.reply(with: Answer(ticket: command.ticket, tx: nil, subject: .set))
                    #expect(reply.user.map(AccountName.isLegal) == true)
                case .refuse(let reply): #expect(reply.user.map(AccountName.isLegal) == true)
                case .updateAlert: break
                }
            }
        }
    }
}
