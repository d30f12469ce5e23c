import Controller
import Flare
import MQTT
import Messages
import Things

// What is said once: events and answers.
extension MQTTBridge {
    func publishOnce(
        _ topic: String,
        _ body: JSONValue,
        properties: MQTTProperties = MQTTProperties()
    ) {
        let message = MQTTMessage(once: body, on: topic, properties)
        if !publish(message) { droppedEvents += 1 }
    }

    /// A command can come before the link is told, and its answer waits for the link if it is lost.
    func publish(_ reply: CommandInbox.Reply) {
        publish(reply.answer, on: topics.response(reply.answer.subject))
        guard let topic = reply.topic else { return }
        var properties = MQTTProperties()
        properties.correlationData = reply.correlation
        publish(reply.answer, on: topic, properties)
    }

    /// An answer that is larger than a packet of this broker may be becomes a refusal that says so.
    private func publish(_ answer: Answer, on topic: String, _ properties: MQTTProperties = MQTTProperties())
    {
        let message = MQTTMessage(once: answer.json, on: topic, properties)
        let outcome = client.publish(message)
        if case .refused(.tooLarge(_, let bytes)) = outcome {
            publishOnce(topic, answer.tooLarge(bytes: bytes).json, properties: properties)
        } else if !isTaken(outcome, message) {
            droppedEvents += 1
        }
    }
}

extension MQTTMessage {
    /// An event or an answer: not retained, QoS 1.
    fileprivate init(once body: JSONValue, on topic: String, _ properties: MQTTProperties) {
        self.init(topic: topic, payload: body.bytes, qos: .atLeastOnce, properties: properties)
    }
}

extension Answer {
    /// The same answer without what made it too large.
    fileprivate func tooLarge(bytes: Int) -> Answer {
        var short = Answer(ticket: ticket, tx: tx, subject: subject, target: target)
        let message = "the answer has \(bytes) bytes, more than a packet of this broker may have"
        short.refusal = Refusal(.tooLarge, message)
        return short
    }
}
