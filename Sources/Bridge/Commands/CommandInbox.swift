package import Controller
import Flare
package import MQTT
import Messages
import Things

/// Turns messages on command topics into commands, and knows where their answers go.
package struct CommandInbox: Sendable {
    package enum Action: Sendable, Hashable {
        /// Pass it to the controller; publish its answer with ``CommandInbox/reply(with:)``.
        case handle(Command)
        /// Publish the refusal of something that never became a command.
        case refuse(Reply)
        /// Raise or clear the alert about retained commands.
        case updateAlert(RetainedCommands)
    }

    /// An answer, and where to publish it.
    package struct Reply: Sendable, Hashable {
        package let answer: Answer
        /// The sender's response topic and correlation data (MQTT 5), in addition to `B/response/…`.
        package let topic: String?
        package let correlation: [UInt8]?
    }

    private struct Sender: Sendable {
        /// By the topic of the command.
        let subject: Answer.Subject
        let address: (topic: String, correlation: [UInt8]?)?
    }

    private let root: String
    private let decoder = CommandDecoder()
    private var senders: [Int: Sender] = [:]
    private var nextTicket = 1
    private var retained = RetainedCommands()

    /// - Parameter root: `<base>/<node>`.
    package init(root: String) { self.root = root }

    /// Handles a message; one on another topic causes nothing.
    package mutating func receive(_ message: MQTTMessage) -> [Action] {
        guard !retained.isCleared(by: message) else { return [.updateAlert(retained)] }
        guard message.topic.hasPrefix(root + "/"),
            let topic = CommandTopic(tail: message.topic.dropFirst(root.count + 1))
        else { return [] }
        let sender = Sender(subject: topic.subject, address: address(of: message))
        if let bytes = message.oversizeBytes {
            let refusal = Refusal(.tooLarge, "a payload of \(bytes) bytes is more than a command may have")
            return [.refuse(reply(to: sender, tx: nil, refusal))]
        }
        let decoded = decoder.decode(topic, payload: message.payload, isRetained: message.isRetained)
        switch decoded.result {
        case .failure(let refusal):
            let isNew = refusal.code == .retainedCommand && retained.record(message.topic)
            return (isNew ? [.updateAlert(retained)] : [])
                + [.refuse(reply(to: sender, tx: decoded.tx, refusal))]
        case .success(let order):
            defer { nextTicket += 1 }
            senders[nextTicket] = sender
            return [.handle(Command(ticket: nextTicket, order: order, tx: decoded.tx))]
        }
    }

    /// Forgets the retained commands: the broker sends them again with the next subscription.
    package mutating func linkDown() -> [Action] {
        retained = RetainedCommands()
        return [.updateAlert(retained)]
    }

    /// Where to publish an answer; its sender is forgotten.
    ///
    /// Senders outlive our link, because theirs may not have been lost.
    package mutating func reply(with answer: Answer) -> Reply {
        var answer = answer
        let sender = senders.removeValue(forKey: answer.ticket)
        answer.subject = sender?.subject ?? answer.subject
        return Reply(
            answer: answer,
            topic: sender?.address?.topic,
            correlation: sender?.address?.correlation
        )
    }

    private func reply(to sender: Sender, tx: JSONValue?, _ refusal: Refusal) -> Reply {
        var answer = Answer(ticket: 0, tx: tx, subject: sender.subject)
        answer.refusal = refusal
        return Reply(answer: answer, topic: sender.address?.topic, correlation: sender.address?.correlation)
    }

    /// The sender's response topic (MQTT 5), unless it has wildcards or lies in our own tree, where an answer could be
    /// mistaken for a command or a state.
    private func address(of message: MQTTMessage) -> (topic: String, correlation: [UInt8]?)? {
        guard let topic = message.properties.responseTopic, !topic.isEmpty,
            !topic.contains("+"), !topic.contains("#"), !topic.hasPrefix("$"),
            topic != root, !topic.hasPrefix(root + "/")
        else { return nil }
        return (topic, message.properties.correlationData)
    }
}
