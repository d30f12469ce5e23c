package import MQTT
package import Messages

/// What the broker keeps on the topics of a node that this run has not told: an earlier run's, or somebody else's.
///
/// The broker hands it over when it is asked for these topics.
package struct Leftovers: Sendable {
    /// More than so many topics are not noted.
    private static let capacity = 50_000

    private let topics: Topics
    private var found: Set<String> = []
    /// Whether a daemon is said to be there.
    package private(set) var isInhabited = false

    package init(_ topics: Topics) { self.topics = topics }

    var root: String { topics.root }

    /// What is to be asked for.
    package var filters: [String] { topics.retained }

    /// Takes in what the broker keeps, or what is told while it is asked.
    package mutating func note(_ message: MQTTMessage) {
        guard message.topic.hasPrefix("\(topics.root)/") else { return }
        if message.topic == topics.status { isInhabited = message.payload == Array("online".utf8) }
        if message.payload.isEmpty {
            found.remove(message.topic)
        } else if found.count < Self.capacity {
            found.insert(message.topic)
        }
    }

    /// The topics that hold something, and that nobody else has: each is named once.
    package mutating func take(unless isHeld: (String) -> Bool) -> [String] {
        defer { found.removeAll() }
        return found.filter { !isHeld($0) }.sorted()
    }
}
