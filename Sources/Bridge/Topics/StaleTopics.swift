package import MQTT
package import Messages

/// What the broker keeps on the topics of a node that this run has not told: an earlier run's, or somebody else's.
///
/// The broker hands it over when it is asked for these topics.
package struct StaleTopics: Sendable {
    /// More than so many topics are not noted.
    private static let capacity = 50_000

    private let topics: Topics
    /// What is to be asked for.
    package let filters: [String]
    private var found: Set<String> = []
    /// Whether a daemon is said to be there.
    package private(set) var isInhabited = false

    /// - Parameter isKnown: Whether the last run on these topics was ours: then what of the model is gone is known.
    package init(_ topics: Topics, isKnown: Bool = false) {
        self.topics = topics
        filters = isKnown ? topics.passing : topics.retained
    }

    var root: String { topics.root }

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
