package import Controller
import Flare
package import MQTT
import Messages
import Things

/// Commands as they come from the broker, and who waits for their answers.
package struct CommandInbox: Sendable {
    /// What becomes of a message.
    package enum Verdict: Sendable, Hashable {
        case command(Command)
        /// Refused before it can be a command.
        case refused(Reply)
    }

    /// An answer with the places where it is to be published.
    package struct Reply: Sendable, Hashable {
        package let answer: Answer
        /// The sender's own response topic and mark (MQTT 5), in addition to `B/response/…`.
        package let topic: String?
        package let correlation: [UInt8]?
    }

    private struct Asker: Sendable {
        /// By the topic on which the command came.
        let subject: Answer.Subject
        let address: (topic: String, correlation: [UInt8]?)?
    }

    private let root: String
    private let decoder = CommandDecoder()
    private var askers: [Int: Asker] = [:]
    private var nextTicket = 1

    /// - Parameter root: `<base>/<node>`.
    package init(root: String) { self.root = root }

    /// Takes in a message; `nil` when it is on no command topic.
    package mutating func receive(_ message: MQTTMessage) -> Verdict? {
        guard message.topic.hasPrefix(root + "/"),
            let topic = CommandTopic(tail: message.topic.dropFirst(root.count + 1))
        else { return nil }
        let asker = Asker(subject: topic.subject, address: address(of: message))
        if let bytes = message.oversizeBytes {
            let refusal = Refusal(.tooLarge, "a payload of \(bytes) bytes is more than a command may have")
            return .refused(refuse(refusal, tx: nil, asker))
        }
        let decoded = decoder.decode(topic, payload: message.payload, isRetained: message.isRetained)
        switch decoded.result {
        case .failure(let refusal):
            return .refused(refuse(refusal, tx: decoded.tx, asker))
        case .success(let order):
            defer { nextTicket += 1 }
            askers[nextTicket] = asker
            return .command(Command(ticket: nextTicket, order: order, tx: decoded.tx))
        }
    }

    /// Where the answer to a command goes; its asker is done with.
    ///
    /// An asker outlives the link: it is our own that was lost, and the asker may have kept its.
    package mutating func reply(with answer: Answer) -> Reply {
        var answer = answer
        let asker = askers.removeValue(forKey: answer.ticket)
        answer.subject = asker?.subject ?? answer.subject
        return Reply(answer: answer, topic: asker?.address?.topic, correlation: asker?.address?.correlation)
    }

    private func refuse(_ refusal: Refusal, tx: JSONValue?, _ asker: Asker) -> Reply {
        var answer = Answer(ticket: 0, tx: tx, subject: asker.subject)
        answer.refusal = refusal
        return Reply(answer: answer, topic: asker.address?.topic, correlation: asker.address?.correlation)
    }

    /// Where the sender wants the answer in addition (MQTT 5).
    ///
    /// Not a topic with wildcards, and none inside our own tree, where an answer could be taken for a command or a
    /// state: such a response topic counts as none.
    private func address(of message: MQTTMessage) -> (topic: String, correlation: [UInt8]?)? {
        guard let topic = message.properties.responseTopic, !topic.isEmpty,
            !topic.contains("+"), !topic.contains("#"), !topic.hasPrefix("$"),
            topic != root, !topic.hasPrefix(root + "/")
        else { return nil }
        return (topic, message.properties.correlationData)
    }
}
