package import Controller
import MQTT

/// The topics on which the broker retains commands, which were refused.
package struct RetainedCommands: Sendable, Hashable {
    private static let alert = "retained-command"
    private static let capacity = 1000

    private var topics: Set<String> = []

    /// - Returns: Whether the topic is new.
    mutating func record(_ topic: String) -> Bool {
        topics.count < Self.capacity && topics.insert(topic).inserted
    }

    /// Whether a message clears one of them, and so is no command.
    mutating func isCleared(by message: MQTTMessage) -> Bool {
        message.payload.isEmpty && !message.isOversize && topics.remove(message.topic) != nil
    }

    /// Raises the alert, or clears it.
    package var event: ControllerEvent {
        guard let first = topics.min() else { return .alertCleared(Self.alert) }
        let more = topics.count > 1 ? " and on \(topics.count - 1) more topics" : ""
        return .alertRaised(
            Self.alert,
            .warning,
            message:
                "A retained command was refused on \(first)\(more). Clear it by publishing an empty retained message there."
        )
    }
}
