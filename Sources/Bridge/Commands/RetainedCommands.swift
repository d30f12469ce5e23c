import Controller
import MQTT

/// The topics on which the broker keeps commands that were refused.
struct RetainedCommands: Sendable {
    static let alert = "retained-command"
    /// More than so many are not kept.
    private static let capacity = 1000

    private var topics: Set<String> = []

    /// Notes that a command was refused because it was kept.
    /// - Returns: Whether that is new.
    mutating func note(_ topic: String) -> Bool {
        topics.count < Self.capacity && topics.insert(topic).inserted
    }

    /// Takes in a message that empties one of them: the broker keeps it no more, and it is no command.
    mutating func isCleared(by message: MQTTMessage) -> Bool {
        message.payload.isEmpty && !message.isOversize && topics.remove(message.topic) != nil
    }

    /// What the controller is to be told: the alert, or its end.
    var event: ControllerEvent {
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
