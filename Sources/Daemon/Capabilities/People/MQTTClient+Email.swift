import Administration
import JSON
import Logging
import MQTT
import Messages

extension MQTTClient {
    /// Hands email messages to the program that delivers mail; without a link they wait in memory.
    ///
    /// - Source: contrib/contract/people.md, "Signing up and forgotten passwords".
    func email(_ topics: Topics, _ logger: Logger) -> @Sendable (EmailMessage) -> Void {
        { message in
            let payload = message.json.bytes
            switch self.publish(MQTTMessage(topic: topics.emailOutbox, payload: payload, qos: .atLeastOnce)) {
            case .queued: break
            case .dropped: logger.error("an email message is lost: the broker has no room for it")
            // The error names neither the address nor the link.
            case .refused(let error):
                logger.error("an email message is lost", metadata: ["error": "\(error)"])
            }
        }
    }
}
