import Controller
import Flare
import Logging
import MQTT
import Messages

/// What we are, and others who say that they are it.
extension MQTTBridge {
    /// What is wrong just now, a sentence each; for a health check.
    package var problems: [String] {
        (isConnected ? [] : ["no link to the broker"])
            + (links["flare"] == true ? [] : ["no link to the Flare server"])
    }

    func stateInfo() {
        guard !isLeaving else { return }
        book.state(
            MQTTMessage(
                topic: topics.info,
                payload: identity.info(configuration).bytes,
                qos: .atLeastOnce,
                isRetained: true
            ),
            rank: .info
        )
    }

    /// A second daemon on our topics shows itself by another epoch, and leaves ours in disorder when it goes.
    func take(info message: MQTTMessage) {
        guard !isLeaving else { return }
        guard !message.isRetained else { return take(keptInfo: message) }
        if message.topic == topics.status {
            guard isConnected, message.payload == offline.payload else { return }
            logger.notice(
                "the broker says that we are offline, as it does when it ends; else somebody said so, and all is told again"
            )
            // Others that are still there do the same, and show themselves by it.
            forgetRivals()
            book.startAgain()
            return flush()
        }
        guard let epoch = Self.epoch(of: message), epoch != identity.epoch else { return }
        // It was there before us, and Home Assistant has met it first.
        let isFirst = rivals.isEmpty && isSaidToBeThere
        let outcome = rivals.receive(epoch, at: clock().steadyMilliseconds)
        guard outcome != .ignored else { return }
        send(
            .alertRaised(
                "duplicate-node",
                .error,
                message:
                    "Another daemon publishes on \(configuration.root) too. Give each a node of its own (node: NAME)."
            )
        )
        logger.error("another daemon publishes on our topics", metadata: ["topics": "\(configuration.root)"])
        if isFirst { discovery.hasForeignIDs = true }
        guard outcome == .answer else { return }
        book.repeatTopic(topics.info)
        flush()
    }

    /// Somebody was here before us, and what he has told may still be there.
    private func take(keptInfo message: MQTTMessage) {
        if message.topic == topics.status {
            isSaidToBeThere = message.payload == Array("online".utf8)
            return
        }
        let epoch = Self.epoch(of: message)
        guard !hasSwept, epoch != identity.epoch else { return }
        sweep(isOurs: true, isKnown: epoch != nil && epoch == identity.formerEpoch)
    }

    /// The name of a run in its info.
    private static func epoch(of info: MQTTMessage) -> String? {
        (try? JSONValue(parsing: info.payload))?["epoch"]?.string
    }

    func forgetRivals() {
        // What they have told is still there.
        let isOver = !rivals.isEmpty && !isLeaving
        if isOver { sweep(isOurs: true) }
        rivals.removeAll()
        if isOver { announceAfterRivals() }
        send(.alertCleared("duplicate-node"))
    }
}
