package import Controller
import Flare
import JSON
import MQTT
package import Messages

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

extension MessageRenderer {
    /// The lifecycle of the application.
    package static func lifecycle(_ topics: Topics) -> MessageRenderer {
        MessageRenderer { snapshot in
            guard snapshot.changes.contains(.lifecycle) else { return [] }
            return [(topics.lifecycle, snapshot.state.lifecycleJSON.bytes)]
        }
    }

    /// What each display shows, and whether it can be seen.
    package static func screens(_ topics: Topics) -> MessageRenderer {
        MessageRenderer { snapshot in
            let state = snapshot.state
            return snapshot.changes.compactMap { change in
                switch change {
                case .screen(let display):
                    return (topics.screen(display: display), state.screenJSON(of: display)?.bytes ?? [])
                case .display(let display):
                    let word = state.lifecycle.isVisible(display).map { $0 ? "ON" : "OFF" } ?? ""
                    return (topics.visible(display: display), Array(word.utf8))
                default: return nil
                }
            }
        }
    }

    /// How the announcement of this station's address stands.
    package static func station(_ topics: Topics) -> MessageRenderer {
        MessageRenderer(expected: [topics.station]) { snapshot in
            guard snapshot.changes.contains(.station) else { return [] }
            return [(topics.station, snapshot.state.stationJSON?.bytes ?? [])]
        }
    }

    /// The things that wait to be set up; scanners repeat what they hear, so once a second at most.
    package static func setup(_ topics: Topics) -> MessageRenderer {
        MessageRenderer(spacing: 1000) { snapshot in
            guard snapshot.changes.contains(.setupCandidates) else { return [] }
            let state = snapshot.state
            return [(topics.setupCandidates, state.setupCandidatesJSON.bytes)]
        }
    }
}
