import Messages

/// How many messages of things wait for their turn: of each thing, and of all end nodes of each gateway.
///
/// A gateway is one user of the broker, however many end nodes it speaks for.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
struct WaitingCounts: Sendable {
    private struct Nodes: Hashable {
        let gateway: String
        /// Those are counted apart: the broker keeps one of each end node, and sends them all when we listen again.
        let isStatus: Bool

        init?(_ topic: EdgeTopic) {
            guard let gateway = topic.gateway else { return nil }
            (self.gateway, isStatus) = (gateway, topic.part == .status)
        }
    }

    private var things: [EdgeAddress: Int] = [:]
    private var nodes: [Nodes: Int] = [:]

    /// Those of the thing of a topic.
    func ofThing(_ topic: EdgeTopic) -> Int { things[topic.thing] ?? 0 }

    /// Those of all end nodes of the gateway of a topic, the `status` apart from the others; 0 for a topic of a thing itself.
    func ofNodes(_ topic: EdgeTopic) -> Int { Nodes(topic).flatMap { nodes[$0] } ?? 0 }

    mutating func add(_ topic: EdgeTopic) { change(topic, 1) }

    mutating func remove(_ topic: EdgeTopic) { change(topic, -1) }

    private mutating func change(_ topic: EdgeTopic, _ difference: Int) {
        let count = ofThing(topic) + difference
        things[topic.thing] = count > 0 ? count : nil
        guard let key = Nodes(topic) else { return }
        let ofNodes = (nodes[key] ?? 0) + difference
        nodes[key] = ofNodes > 0 ? ofNodes : nil
    }
}
