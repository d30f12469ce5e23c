import HomeAssistant
import Controller
import Logging
import MQTT

/// What the broker refuses, and who else uses our client id.
extension MQTTBridge {
    func handleRefusals() {
        // Senders choose their response topics, so those are only counted, by the client.
        let responses = configuration.responses
        let unacceptable = publisher.drainRefusals()
        let topics = client.drainRefusals().merging(unacceptable) { $1 }.filter {
            !responses.contains($0.key)
        }
        guard !topics.isEmpty else { return }
        let devices = topics.keys.reduce(into: [:]) { $0[$1] = discovery.publisher.deviceName(on: $1) }
        let causes = refusals.refused(topics, devices: devices) {
            // Only another link can have another limit, so announcements are not made again before.
            publisher.retained.holds($0) || unacceptable[$0] == nil && discovery.recordRefusal(of: $0)
        }
        for (reason, topic) in causes.sorted(by: { $0.key < $1.key }) {
            logger.warning(
                "the broker refuses publications",
                metadata: ["reason": "\(reason)", "topic": "\(topic)"]
            )
        }
        send(refusals.publicationsEvent)
    }

    /// Publishes the health, and sends refused messages again: the broker's rights may have been corrected.
    func healthIntervalPassed() {
        setHealth()
        guard publisher.isConnected else { return }
        let (topics, events) = refusals.intervalPassed()
        for event in events { send(event) }
        for topic in topics { publisher.retained.resend(topic) }
        perform(discovery.repeatRefused(topics))
        perform(copies.intervalPassed(at: now))
        readCopyStatuses()
        flush()
    }

    /// Ends the alert of another client with our id, if this link lasts.
    func watchForDuplicateClients() {
        duplicateClient.connected(at: now)
        let wait = client.configuration.steadyLink
        // It must not keep a node that has ended.
        Task { [weak self] in
            try? await Task.sleep(for: wait)
            await self?.checkDuplicateClient()
        }
    }

    private func checkDuplicateClient() { endContest(duplicateClient.check(at: now)) }

    /// - Parameter events: The end of the alert; empty if there was none.
    func endContest(_ events: [ControllerEvent]) {
        for event in events { send(event) }
        if !events.isEmpty { perform(ownership.contestEnded()) }
    }
}

extension DuplicateClientDetector {
    init(_ configuration: MQTTConfiguration) {
        let seconds = configuration.steadyLink / .seconds(1)
        self.init(clientID: configuration.clientID ?? "", steadyMilliseconds: Int64(seconds * 1000))
    }
}
