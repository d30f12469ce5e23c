import Controller
import JSON
package import MQTT
import Messages

/// What a broker keeps of one node: its retained topics, and the Home Assistant devices that were announced for it.
///
/// A broker hands all of it over after a subscription; ``receive(_:)`` takes in each message.
package struct RetainedNode: Sendable {
    /// More than so many topics are not recorded at once; a second pass finds the others.
    private static let capacity = 100_000

    package let root: String
    private let topicsOfNode: Topics
    private let discovery: DiscoveryTopics
    private let mark: JSONValue
    private var kept: Set<String> = []
    private var announced: Set<String> = []

    /// Whether the retained status says that a daemon is there, be it true or not.
    package private(set) var isOnline = false
    /// Whether a daemon has answered ``ping``.
    package private(set) var isAnswering = false

    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - discoveryPrefix: The first levels of Home Assistant's discovery topics.
    ///   - mark: What nobody else sends as `tx`.
    package init(root: String, discoveryPrefix: String, mark: String) {
        self.root = root
        topicsOfNode = Topics(root: root)
        discovery = DiscoveryTopics(prefix: discoveryPrefix)
        self.mark = .string(mark)
    }

    /// What has to be subscribed.
    package var filters: [String] { [topicsOfNode.everything, discovery.device("+")] }

    /// The question that a running daemon answers.
    package var ping: (topic: String, payload: [UInt8]) {
        (topicsOfNode.command(.ping), JSONValue.object(["tx": mark]).bytes)
    }

    /// The node's topics, sorted.
    package var topics: [String] { kept.sorted() }

    /// The discovery topics of its devices, sorted.
    package var devices: [String] { announced.sorted() }

    package var isEmpty: Bool { kept.isEmpty && announced.isEmpty }

    /// Everything that has to be cleared, in the order in which Home Assistant sees no entity without its topics.
    package var all: [String] { devices + topics }

    /// Takes in what the broker keeps, or what is published while we are subscribed.
    package mutating func receive(_ message: MQTTMessage) {
        let isOfNode = message.topic.hasPrefix("\(root)/")
        guard isOfNode || discovery.device(of: message.topic) != nil else { return }
        guard !message.payload.isEmpty || message.isOversize else {
            kept.remove(message.topic)
            announced.remove(message.topic)
            return
        }
        if message.topic == topicsOfNode.status { isOnline = message.payload == Array("online".utf8) }
        if message.topic == topicsOfNode.response(.verb("ping")),
            (try? JSONValue(parsing: message.payload))?["tx"] == mark
        {
            isAnswering = true
        }
        guard message.isRetained, kept.count + announced.count < Self.capacity else { return }
        if isOfNode {
            kept.insert(message.topic)
        } else if isAnnouncement(message) {
            announced.insert(message.topic)
        }
    }

    /// Whether a discovery message was announced by this node: the availability of each of its devices is the
    /// node's status.
    ///
    /// Names of topics alone do not tell: a node of another base can have the same name.
    private func isAnnouncement(_ message: MQTTMessage) -> Bool {
        guard let payload = try? JSONValue(parsing: message.payload),
            payload["origin"]?["name"]?.string == "Trilateral"
        else { return false }
        let status = topicsOfNode.status
        return payload["availability"]?.array?.contains { $0["topic"]?.string == status } ?? false
    }
}
