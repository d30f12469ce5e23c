import Bindings
import Text

/// The topics of things at the edge, `B/edge/…` in the contract.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
extension Topics {
    private static let edgeLevel = "edge"
    private static let nodeLevel = "node"
    /// Bytes below the root: two names of 200, and the other levels.
    private static let longestEdgeTail = 430

    /// What all topics of a thing begin with, without a slash at its end.
    package func edge(_ thing: EdgeAddress) -> String {
        guard let gateway = thing.gateway else { return topic("\(Self.edgeLevel)/\(thing.vendor)") }
        return topic("\(Self.edgeLevel)/\(gateway)/\(Self.nodeLevel)/\(thing.vendor)")
    }

    private func edge(_ thing: EdgeAddress, _ level: String) -> String { "\(edge(thing))/\(level)" }

    /// A topic on which a thing reports; with `+` as a name it is a filter.
    package func edge(_ thing: EdgeAddress, _ part: EdgeTopic.Part) -> String { edge(thing, part.rawValue) }

    /// A topic that a thing reads; with `+` as a name it is a filter.
    package func edge(_ thing: EdgeAddress, _ answer: EdgeTopic.Answer) -> String {
        edge(thing, answer.rawValue)
    }

    package func edge(_ topic: EdgeTopic) -> String { edge(topic.thing, topic.part) }

    /// All topics on which things report, as filters; none of those that they read.
    package var edgeReports: [String] {
        EdgeTopic.Part.allCases.map { edge(EdgeAddress("+"), $0) }
            + EdgeTopic.Part.ofEndNodes.map { edge(EdgeAddress("+", gateway: "+"), $0) }
    }

    /// Reads a topic on which a thing reports.
    ///
    /// - Returns: `nil` for another topic, and for names that are no vendorThingID.
    package func edgeTopic(_ topic: String) -> EdgeTopic? {
        guard topic.utf8.count <= prefix.utf8.count + Self.longestEdgeTail,
            topic.utf8.starts(with: prefix.utf8)
        else { return nil }
        let tail = Substring(topic.utf8.dropFirst(prefix.utf8.count))
        var levels = tail.parts(between: "/", maxSplits: 5)[...]
        guard levels.popFirst() == Self.edgeLevel[...], let first = levels.popFirst(),
            let part = levels.popLast().flatMap({ EdgeTopic.Part(rawValue: String($0)) }),
            VendorName.isLegalThing(String(first))
        else { return nil }
        if levels.isEmpty { return EdgeTopic(EdgeAddress(String(first)), part) }
        guard levels.popFirst() == Self.nodeLevel[...], let node = levels.popFirst(), levels.isEmpty,
            part != .nodes, VendorName.isLegalThing(String(node))
        else { return nil }
        return EdgeTopic(EdgeAddress(String(node), gateway: String(first)), part)
    }
}

extension EdgeTopic.Part {
    /// Those that end nodes have at the topics of their gateway.
    package static let ofEndNodes: [Self] = allCases.filter { $0 != .nodes }
}
