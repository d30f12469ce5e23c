package import Controller
import JSON
package import MQTT
import Messages
package import People
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
        /// The user on whose topics the command came: the answer goes to `B/users/<user>/response/…` instead of
        /// `B/response/…`.
        package let user: String?
        /// The sender's response topic and correlation data (MQTT 5), in addition to those.
        package let topic: String?
        package let correlation: [UInt8]?
        /// Who sent what never became a command; `nil` if nobody is identified, and for answers to commands.
        package var caller: Caller?
    }

    private struct Sender: Sendable {
        /// By the topic of the command.
        let subject: Answer.Subject
        let user: String?
        let address: CommandRoute.Address?
    }

    private let root: String
    private let commands: CommandTable
    private let decoder = CommandDecoder()
    private let identify: Identify
    private var hasUserTopics: Bool
    private var responses: ResponseTopics
    private var senders: [Int: Sender] = [:]
    private var nextTicket = 1
    private var retained = RetainedCommands()
    private var isClosed = false

    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - hasUserTopics: Whether commands below `users/<user>/` count, where the broker vouches for the user.
    ///   - identify: Finds who sends a command.
    package init(
        root: String,
        commands: CommandTable,
        hasUserTopics: Bool = false,
        responses: ResponseTopics = ResponseTopics(),
        identify: @escaping Identify
    ) {
        (self.root, self.commands) = (root, commands)
        (self.hasUserTopics, self.identify) = (hasUserTopics, identify)
        self.responses = responses
    }

    /// Follows another configuration from now on.
    package mutating func use(_ configuration: BridgeConfiguration) {
        (hasUserTopics, responses) = (configuration.hasUserTopics, configuration.responses)
    }

    /// Refuses every command from now on.
    package mutating func close() { isClosed = true }

    /// Takes commands again.
    package mutating func open() { isClosed = false }

    private static let stopping = Refusal(
        .serverUnreachable,
        "Trilateral is stopping; send the command again when status is online"
    )

    /// Handles a message; one on another topic causes nothing.
    package mutating func receive(_ message: MQTTMessage) -> [Action] {
        guard !retained.isCleared(by: message) else { return [.updateAlert(retained)] }
        guard let route = CommandRoute(message.topic, root: root, commands, hasUserTopics: hasUserTopics)
        else { return [] }
        let address = Result { () throws(Refusal) in try responses.address(of: message, route) }
        let sender = Sender(
            subject: route.topic.subject,
            user: route.user,
            address: (try? address.get()) ?? nil
        )
        if let bytes = message.oversizeBytes {
            let refusal = Refusal(.tooLarge, "a payload of \(bytes) bytes is more than a command may have")
            let caller = route.caller(CommandCredentials(), identify)
            return [.refuse(reply(to: sender, tx: nil, refusal, caller))]
        }
        let decoded = decoder.decode(route.topic, payload: message.payload, isRetained: message.isRetained)
        let caller = route.caller(decoded.credentials, identify)
        switch decoded.result {
        case .failure(let refusal):
            let isNew =
                refusal.code == .retainedCommand && retained.record(message.topic, as: route.publicTopic)
            return (isNew ? [.updateAlert(retained)] : [])
                + [.refuse(reply(to: sender, tx: decoded.tx, refusal, caller))]
        case .success where isClosed:
            return [.refuse(reply(to: sender, tx: decoded.tx, Self.stopping, caller))]
        case .success(let operation):
            if case .failure(let refusal) = address {
                return [.refuse(reply(to: sender, tx: decoded.tx, refusal, caller))]
            }
            defer { nextTicket += 1 }
            senders[nextTicket] = sender
            let command = Command(
                ticket: nextTicket,
                operation: operation,
                tx: decoded.tx,
                caller: caller,
                source: message.topic
            )
            return [.handle(command)]
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
            user: sender?.user,
            topic: sender?.address?.topic,
            correlation: sender?.address?.correlation
        )
    }

    private func reply(
        to sender: Sender,
        tx: JSONValue?,
        _ refusal: Refusal,
        _ caller: Caller?
    ) -> Reply {
        var answer = Answer(ticket: 0, tx: tx, subject: sender.subject)
        answer.refusal = refusal
        return Reply(
            answer: answer,
            user: sender.user,
            topic: sender.address?.topic,
            correlation: sender.address?.correlation,
            caller: caller
        )
    }
}
