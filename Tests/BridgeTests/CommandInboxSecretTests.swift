import Bridge
import Controller
import Flare
import JSON
import MQTT
import Messages
import Testing
import Things

/// Secrets in the wrong places of commands.
struct CommandInboxSecretTests {
    private static let token = "tlu_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"

    private static let payloads = [
        "T", #""T""#, #"["T"]"#, #"{"T":1}"#, #"{"T":"T"}"#, #"{"state":"T"}"#, #"{"color":{"T":["T"]}}"#,
        #"{"state":"ON","tx":"T"}"#, #"{"state":"ON","tx":{"T":1}}"#, #"{"state":"ON","if_id":"T"}"#,
        #"{"action":"T"}"#, #"{"action":"nextColor","tx":"xTx"}"#, #"{"as":"T","state":"ON"}"#,
        #"{"token":["T"]}"#, #"{"state":"ON","T"#, #"{"level":"T"}"#, #"{"environment":"T"}"#,
        #"{"name":"T","tx":"T"}"#, "{\"state\":\"ON\",\"tx\":\"\\u0054LU\"}",
    ]

    private func inbox() -> CommandInbox {
        CommandInbox(
            root: "t/n",
            commands: .tested,
            hasUserTopics: true,
            responses: ResponseTopics(reserved: ["t"]),
            identify: { _ in nil }
        )
    }

    /// Every command topic, with the secret and with a name at its free levels.
    private func topics() -> [String] {
        let tails = CommandTable.tested.filters.flatMap { filter in
            [Self.token, "lamp"].map { filter.replacing("+", with: $0) }
        }
        return (tails + tails.map { "users/bob/\($0)" }).map { "t/n/\($0)" }
    }

    @Test(arguments: [nil, "replies/T/1", "T", "replies/1"])
    func `no command with a token in the wrong place is carried out, and nothing repeats it`(
        response: String?
    ) {
        let secret = Self.token
        for topic in topics() {
            for payload in Self.payloads {
                for isRetained in [false, true] {
                    var properties = MQTTProperties()
                    properties.responseTopic = response?.replacing("T", with: secret)
                    properties.correlationData = Array((response == nil ? "1" : secret).utf8)
                    let message = MQTTMessage(
                        topic: topic,
                        payload: Array(payload.replacing("T", with: secret).utf8),
                        isRetained: isRetained,
                        properties: properties
                    )
                    check(message, secret)
                }
            }
        }
    }

    private func check(_ message: MQTTMessage, _ secret: String) {
        var inbox = inbox()
        for action in inbox.receive(message) {
            let context = Comment(
                rawValue: "\(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
            )
            switch action {
            case .updateAlert: break
            case .refuse(let reply): checkReply(reply, secret, context)
            case .handle(let command):
                #expect(command.source?.contains(secret) == false, context)
                #expect(command.tx.map { !$0.text.contains(secret) } ?? true, context)
                var answer = Answer(ticket: command.ticket, tx: command.tx, subject: .set)
                answer.target = Answer.Target(kind: "thing", slug: secret)
                answer.accepted = [secret: .string(secret)]
                answer.rejected = [secret: .unknownAttribute]
                answer.data = [.string(secret)]
                answer.refusal = Refusal(.unknownThing, "no thing \"\(secret)\"", field: secret)
                checkReply(inbox.reply(with: answer), secret, context)
                #expect(!"\(command.operation)".contains(secret), context)
            }
        }
    }

    private func checkReply(_ reply: CommandInbox.Reply, _ secret: String, _ context: Comment) {
        #expect(!String(decoding: reply.answer.bytes, as: UTF8.self).contains(secret), context)
        #expect(
            !Topics(root: "t/n").response(reply.answer.subject).contains(secret.lowercased().suffix(8)),
            context
        )
        #expect(reply.topic?.contains(secret) != true, context)
        #expect(
            reply.correlation.map { !String(decoding: $0, as: UTF8.self).contains(secret) } ?? true,
            context
        )
    }

    @Test(arguments: [#""7""#, "7", #""Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE""#, #""zwölf""#])
    func `a tx without a token comes back as it was sent`(tx: String) throws {
        var inbox = inbox()
        let message = MQTTMessage(
            topic: "t/n/things/lamp/set",
            payload: Array(#"{"state":"ON","tx":\#(tx)}"#.utf8)
        )
        guard case .handle(let command)? = inbox.receive(message).last else {
            Issue.record("it is no command")
            return
        }
        let answer = Answer(ticket: command.ticket, tx: command.tx, subject: .set)
        #expect(inbox.reply(with: answer).answer.tx?.text == tx)
    }
}
