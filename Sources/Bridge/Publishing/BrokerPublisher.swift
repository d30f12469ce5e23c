package import Controller
package import Logging
package import MQTT
package import Messages
import Things

/// Sends a node's messages: its retained topics as they change, and events and answers once.
///
/// It follows the link, so that nothing is handed to a client that has no room.
package struct BrokerPublisher: Sendable {
    /// Hands a message to the client.
    package typealias Handover = @Sendable (MQTTMessage) -> MQTTPublishOutcome

    /// What the broker should retain.
    package var retained = RetainedTopicStore()
    package private(set) var isConnected = false
    /// Events and answers that could not be sent; those before the first link nobody could have waited for.
    package private(set) var droppedMessages = 0
    private var wasConnected = false
    package private(set) var latency: PositionLatency
    /// What this broker is known not to accept, since the last call of ``drainRefusals()``: the reasons by topic.
    private var unacceptable: [String: String] = [:]
    /// Whether the client's queue is full.
    private var isFull = false
    private let handOver: Handover
    private let logger: Logger

    package init(latency: PositionLatency, logger: Logger, handOver: @escaping Handover) {
        (self.latency, self.logger, self.handOver) = (latency, logger, handOver)
    }

    // MARK: The link

    /// Everything is to be sent again.
    package mutating func linkUp() {
        (isConnected, wasConnected, isFull) = (true, true, false)
        retained.resendAll()
    }

    package mutating func linkDown() { isConnected = false }

    /// The client has room again.
    package mutating func drained() { isFull = false }

    /// Whether there is a link, and the client has room.
    package var canSend: Bool { isConnected && !isFull }

    // MARK: Retained topics

    package mutating func observe(_ snapshot: StateSnapshot) { latency.observe(snapshot) }

    /// Sends the retained topics that are due, as far as the client has room.
    ///
    /// - Parameters:
    ///   - now: Steady milliseconds.
    ///   - last: The last rank to send.
    /// - Returns: Whether anything was sent.
    @discardableResult
    package mutating func flush(at now: Int64, upTo last: RetainedTopicStore.Rank = .view) -> Bool {
        guard canSend else { return false }
        let due = retained.due(at: now, upTo: last)
        for (index, slot) in due.enumerated() {
            let message = retained[slot]
            guard publish(message) else { return index > 0 }
            retained.recordSent(slot, at: now)
            latency.published(message)
        }
        return !due.isEmpty
    }

    // MARK: Refusals

    package var hasRefusals: Bool { !unacceptable.isEmpty }

    /// Removes and returns the topics whose messages this broker would not accept, with the reasons.
    package mutating func drainRefusals() -> [String: String] {
        defer { unacceptable = [:] }
        return unacceptable
    }

    // MARK: Single messages

    /// - Returns: False if the client has no room: publish it again after ``drained()``.
    package mutating func publish(_ message: MQTTMessage) -> Bool { isAccepted(handOver(message), message) }

    package mutating func publish(_ event: ChangeEvent, epoch: String, on topics: Topics) {
        // Without a link it is lost; readers see the gap in the sequence numbers.
        guard isConnected else {
            if wasConnected { droppedMessages += 1 }
            return
        }
        let bytes = event.bytes(epoch: epoch)
        publishOnce(MQTTMessage(once: bytes, on: topics.event(event.topic)))
        if let topic = topics.further(event) { publishOnce(MQTTMessage(once: bytes, on: topic)) }
    }

    /// Publishes an answer on its response topic, and on the one that the sender asked for; once if they are the same.
    ///
    /// A command may arrive before the link event, and an answer may outlive its link: the client queues it.
    package mutating func publish(_ reply: CommandInbox.Reply, on topics: Topics) {
        let response =
            reply.user.map { topics.user($0, Topics.tails.response(reply.answer.subject)) }
            ?? topics.response(reply.answer.subject)
        if response != reply.topic { publish(reply.answer, on: response) }
        guard let topic = reply.topic else { return }
        var properties = MQTTProperties()
        properties.correlationData = reply.correlation
        publish(reply.answer, on: topic, properties)
    }

    /// An answer that exceeds the broker's maximum packet size is replaced by a refusal.
    private mutating func publish(
        _ answer: Answer,
        on topic: String,
        _ properties: MQTTProperties = MQTTProperties()
    ) {
        let message = MQTTMessage(once: answer.bytes, on: topic, properties)
        let outcome = handOver(message)
        if case .refused(.tooLarge(_, let bytes)) = outcome {
            publishOnce(MQTTMessage(once: answer.tooLarge(bytes: bytes).bytes, on: topic, properties))
        } else if !isAccepted(outcome, message) {
            droppedMessages += 1
        }
    }

    private mutating func publishOnce(_ message: MQTTMessage) {
        if !publish(message) { droppedMessages += 1 }
    }

    private mutating func isAccepted(_ outcome: MQTTPublishOutcome, _ message: MQTTMessage) -> Bool {
        switch outcome {
        case .queued, .dropped: return true
        case .refused(.queueFull):
            isFull = true
            return false
        case .refused(.tooLarge):
            unacceptable[message.topic] = BrokerRefusals.tooLarge
            return true
        case .refused(.refusedByBroker(_, let code, let reason)):
            unacceptable[message.topic] = "\(reason) (code \(code))"
            return true
        case .refused(let error):
            logger.error(
                "a message cannot be sent",
                metadata: ["topic": "\(message.topic)", "error": "\(error)"]
            )
            return true
        }
    }
}

extension MQTTMessage {
    /// An event or an answer: not retained, QoS 1.
    fileprivate init(
        once payload: [UInt8],
        on topic: String,
        _ properties: MQTTProperties = MQTTProperties()
    ) {
        self.init(topic: topic, payload: payload, qos: .atLeastOnce, properties: properties)
    }
}

extension Answer {
    /// The same answer without the part that made it too large.
    fileprivate func tooLarge(bytes: Int) -> Answer {
        var short = Answer(ticket: ticket, tx: tx, subject: subject, target: target)
        let message = "the answer has \(bytes) bytes, more than a packet of this broker may have"
        short.refusal = Refusal(.tooLarge, message)
        return short
    }
}
