import Accounts
import Flare
import Logging
import MQTT
import Messages

extension MQTTClient {
    /// Hands letters to whoever delivers mail; without a link they wait in memory.
    ///
    /// - Source: the people page, "Signing in".
    func letters(_ topics: Topics, _ logger: Logger) -> @Sendable (AccountsLetter) -> Void {
        { letter in
            let payload = letter.json.bytes
            switch self.publish(MQTTMessage(topic: topics.emailOutbox, payload: payload, qos: .atLeastOnce)) {
            case .queued: break
            case .dropped: logger.error("a letter is lost: the broker has no room for it")
            // The error names neither the address nor the link.
            case .refused(let error): logger.error("a letter is lost", metadata: ["error": "\(error)"])
            }
        }
    }
}
