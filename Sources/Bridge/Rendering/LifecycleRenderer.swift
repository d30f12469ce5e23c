package import Controller
import Flare
import MQTT
import Messages

/// Renders the lifecycle of the application on its own topic.
package struct LifecycleRenderer: TopicRenderer {
    private let topic: String
    private var payload: [UInt8] = []
    private var hasChanged = false

    package init(topic: String) { self.topic = topic }

    package mutating func observe(_ snapshot: StateSnapshot) {
        guard snapshot.changes.contains(.lifecycle) else { return }
        (payload, hasChanged) = (snapshot.state.lifecycleJSON.bytes, true)
    }

    package mutating func render(into store: inout RetainedTopicStore, at now: Int64) {
        guard hasChanged else { return }
        hasChanged = false
        let message = MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true)
        store.set(message, rank: .view, spacing: 0)
    }

    package var nextDue: Int64? { nil }
}
