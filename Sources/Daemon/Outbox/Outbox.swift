package import JSON
package import Logging
package import MQTT
package import Messages

/// Hands messages for people to the programs that deliver them, by topics of the broker, and reports when none of these
/// programs listens.
///
/// - Source: contrib/contract/rules.md, "Notifications".
package actor Outbox {
    /// What one program delivers.
    package enum Channel: Sendable, Hashable {
        case email, sms
        case push(isDevelopment: Bool)
    }

    /// A message that was sent to the broker, or waits for it.
    package struct Posted: Sendable {
        fileprivate let topic: String
        fileprivate let receipt: MQTTReceipt
    }

    /// How long a message for which nobody waits may be under way.
    private static let patience = Duration.seconds(600)

    private nonisolated let topics: Topics
    private nonisolated let logger: Logger
    private nonisolated let publish: @Sendable (MQTTMessage) -> MQTTReceipt
    private let report: @Sendable (_ problem: String?) -> Void
    /// The topics that nobody read when a message was sent there last.
    private var unread: Set<String> = []

    /// - Parameters:
    ///   - publish: Publishes a message that has failed if nobody reads its topic.
    ///   - report: Called with what is wrong after each message that nobody reads, and with `nil` when all are read again.
    package init(
        _ topics: Topics,
        publish: @escaping @Sendable (MQTTMessage) -> MQTTReceipt,
        report: @escaping @Sendable (_ problem: String?) -> Void,
        logger: Logger
    ) {
        (self.topics, self.publish, self.report, self.logger) = (topics, publish, report, logger)
    }

    /// Sends a message, which waits in memory while there is no link; those of one caller keep their order.
    package nonisolated func post(_ message: JSONObject, by channel: Channel) -> Posted {
        let topic =
            switch channel {
            case .email: topics.emailOutbox
            case .sms: topics.smsOutbox
            case .push(let isDevelopment): topics.pushOutbox(isDevelopment: isDevelopment)
            }
        let payload = JSONValue.object(message).bytes
        return Posted(
            topic: topic,
            receipt: publish(MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce))
        )
    }

    /// Waits until the broker has accepted a message; for a single caller.
    ///
    /// - Throws: Why it has not; `unread` if no program takes it from the broker.
    package func wait(for posted: Posted, _ limit: Duration) async throws(MQTTPublishError) {
        do throws(MQTTPublishError) {
            try await posted.receipt.wait(limit)
        } catch {
            if case .unread = error {
                unread.insert(posted.topic)
                report(problem)
            }
            throw error
        }
        guard unread.remove(posted.topic) != nil else { return }
        report(problem)
    }

    /// Sends a message for which nobody waits.
    ///
    /// - Parameter name: What it is, for the log: `an email message`.
    package nonisolated func send(_ message: JSONObject, by channel: Channel, as name: String) {
        let posted = post(message, by: channel)
        // Unstructured, because nobody waits for it.
        Task {
            do throws(MQTTPublishError) {
                try await wait(for: posted, Self.patience)
            } catch {
                // It names neither the address, nor the token, nor the text.
                logger.error("\(name) is not delivered", metadata: ["error": "\(error)"])
            }
        }
    }

    private var problem: String? {
        guard !unread.isEmpty else { return nil }
        let names = unread.sorted().joined(separator: ", ")
        return
            "Nobody reads \(names): what is sent there is lost. Start a program that delivers it; contrib/outbox has one."
    }
}
