import Controller
import HomeAssistant
import Logging
import MQTT

extension MQTTBridge {
    /// What the broker has refused: one line a cause, and an alert.
    func noteRefusals() {
        let topics = client.drainRefusals()
        guard !topics.isEmpty else { return }
        for (reason, topic) in refusals.refused(topics, canRepeat: canRepeat).sorted(by: { $0.key < $1.key })
        {
            logger.warning(
                "the broker refuses publications",
                metadata: ["reason": "\(reason)", "topic": "\(topic)"]
            )
        }
        send(refusals.publicationsEvent)
    }

    /// The health, and again what the broker has refused: perhaps its rights were put right.
    func healthIntervalPassed() {
        stateHealth()
        guard isConnected else { return }
        let (topics, events) = refusals.intervalPassed()
        for event in events { send(event) }
        for topic in topics { book.repeatTopic(topic) }
        if topics.contains(where: discovery.announcer.announces) { send(.announcementWanted) }
    }

    private func canRepeat(_ topic: String) -> Bool {
        book.holds(topic) || discovery.announcer.announces(topic)
    }
}
