package import Controller
import MQTT

/// Renders retained topics that follow from single changes of the state.
package struct MessageRenderer: TopicRenderer {
    private let spacing: Int64
    private let messages: @Sendable (StateSnapshot) -> [(topic: String, payload: [UInt8])]
    /// Topics whose first message takes its time.
    private var expected: Set<String>
    /// By topic; an empty payload clears it.
    private var waiting: [String: [UInt8]] = [:]

    /// - Parameters:
    ///   - spacing: The minimum interval between two messages on a topic, milliseconds.
    ///   - expected: Topics whose first message takes its time: until then, that of an earlier run stays.
    ///   - messages: The topics that have changed, with their payloads; an empty one clears its topic.
    package init(
        spacing: Int64 = 0,
        expected: Set<String> = [],
        _ messages: @escaping @Sendable (StateSnapshot) -> [(topic: String, payload: [UInt8])]
    ) {
        (self.spacing, self.expected, self.messages) = (spacing, expected, messages)
    }

    package mutating func observe(_ snapshot: StateSnapshot) {
        for message in messages(snapshot) {
            waiting[message.topic] = message.payload
            expected.remove(message.topic)
        }
    }

    package func isExpected(_ topic: String) -> Bool { expected.contains(topic) }

    package mutating func render(into store: inout RetainedTopicStore, at now: Int64) {
        guard !waiting.isEmpty else { return }
        for (topic, payload) in waiting.sorted(by: { $0.key < $1.key }) {
            let message = MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true)
            store.set(message, rank: .view, spacing: payload.isEmpty ? 0 : spacing)
        }
        waiting = [:]
    }

    package var nextDue: Int64? { nil }
}
