package import Controller
import MQTT

/// The topics on which the broker retains commands, which were refused.
package struct RetainedCommands: Sendable, Hashable {
    private static let alert = "retained-command"
    private static let capacity = 1000

    /// By topic: how an alert may write it.
    private var topics: [String: String] = [:]

    /// - Parameter name: The topic as an alert may write it.
    /// - Returns: Whether the topic is new.
    mutating func record(_ topic: String, as name: String) -> Bool {
        guard topics.count < Self.capacity, topics[topic] == nil else { return false }
        topics[topic] = name
        return true
    }

    /// Whether a message clears one of them, and so is no command.
    mutating func isCleared(by message: MQTTMessage) -> Bool {
        message.payload.isEmpty && !message.isOversize && topics.removeValue(forKey: message.topic) != nil
    }

    /// Raises the alert, or clears it.
    package var event: ControllerEvent {
        guard let first = topics.values.min() else { return .alertCleared(Self.alert) }
        let more = topics.count > 1 ? " and on \(topics.count - 1) more topics" : ""
        return .alertRaised(
            Self.alert,
            .warning,
            message:
                "A retained command was refused on \(first)\(more). Clear it by publishing an empty retained message there."
        )
    }
}
