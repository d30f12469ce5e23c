import Controller
import Flare
package import MQTT
package import Messages

/// Daemons of other nodes that run with a copy of our state folder, recognised by the installation in their info.
///
/// Their entities have the same ids as ours in Home Assistant, and their device is ours on a Flare server. What a broker
/// retains proves nothing: it may be of our own former node. So a daemon that shows itself is answered once.
package struct CopyDetector: Sendable {
    package static let alert = "duplicate-installation"

    /// Another daemon is answered again after so many milliseconds.
    private static let pause: Int64 = 5000
    /// The most daemons that are remembered and answered.
    private static let capacity = 100

    private let topics: Topics
    private let installation: String
    private var isLinkUp = false
    /// When each node was answered.
    private var nodes: [String: Int64] = [:]

    /// - Parameter installation: Empty if there is none.
    package init(topics: Topics, installation: String) {
        (self.topics, self.installation) = (topics, installation)
    }

    package mutating func linkUp() { isLinkUp = true }

    package mutating func linkDown() -> [TopicOwnership.Action] {
        isLinkUp = false
        guard !nodes.isEmpty else { return [] }
        nodes = [:]
        return [update]
    }

    /// Handles a message on the `info` or `status` of another node.
    ///
    /// - Parameter now: Steady milliseconds.
    package mutating func receive(_ message: MQTTMessage, at now: Int64) -> [TopicOwnership.Action] {
        guard isLinkUp, !installation.isEmpty, !message.isRetained,
            let (node, tail) = topics.neighbour(message.topic)
        else { return [] }
        if tail == Topics.tails.status {
            guard message.payload != Array("online".utf8), nodes.removeValue(forKey: node) != nil else {
                return []
            }
            return [update]
        }
        guard (try? JSONValue(parsing: message.payload))?["installation"]?.string == installation else {
            return nodes.removeValue(forKey: node) == nil ? [] : [update]
        }
        let last = nodes[node]
        guard last.map({ now - $0 >= Self.pause }) ?? (nodes.count < Self.capacity) else { return [] }
        nodes[node] = now
        return (last == nil ? [update] : []) + [.resendInfo]
    }

    private var update: TopicOwnership.Action {
        let names = nodes.keys.sorted()
        guard let first = names.first else { return .send(.alertCleared(Self.alert)) }
        let others = names.count > 1 ? "\(first) and \(names.count - 1) more" : first
        let message = """
            The daemon of the node \(others) runs with a copy of this state folder: Home Assistant takes their entities \
            for the same, and a Flare server their devices. Remove the state folder of the copy.
            """
        return .send(.alertRaised(Self.alert, .error, message: message))
    }
}
