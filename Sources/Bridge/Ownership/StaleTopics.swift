package import MQTT
package import Messages

/// The retained topics of a node that this run has not published: an earlier run's, or another daemon's.
package struct StaleTopics: Sendable {
    private static let capacity = 50_000

    private let topics: Topics
    /// What to subscribe to.
    package let filters: [String]
    private var found: Set<String> = []
    /// Whether `status` is online: a daemon uses these topics.
    package private(set) var isInhabited = false

    /// - Parameter isKnown: Whether the last run on these topics was ours; then only topics that come and go are read,
    ///   as removed objects are known.
    package init(_ topics: Topics, isKnown: Bool = false) {
        self.topics = topics
        filters = isKnown ? topics.passing : topics.retained
    }

    var root: String { topics.root }
    var isEmpty: Bool { found.isEmpty }

    /// Records a retained message, or one that was published meanwhile.
    package mutating func record(_ message: MQTTMessage) {
        guard message.topic.hasPrefix("\(topics.root)/") else { return }
        if message.topic == topics.status { isInhabited = message.payload == Array("online".utf8) }
        note(message)
    }

    /// Records an announcement of a device of the node.
    package mutating func record(device message: MQTTMessage) { note(message) }

    private mutating func note(_ message: MQTTMessage) {
        if message.payload.isEmpty {
            found.remove(message.topic)
        } else if found.count < Self.capacity {
            found.insert(message.topic)
        }
    }

    /// Removes and returns the recorded topics that this run does not publish.
    package mutating func drain(unless isHeld: (String) -> Bool) -> [String] {
        defer { found.removeAll() }
        return found.filter { !isHeld($0) }.sorted()
    }
}
