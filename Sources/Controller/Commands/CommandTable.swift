import Text
import Things

/// All commands of a program, found by topic without looking at each of them.
package final class CommandTable: Sendable {
    package let descriptors: [CommandDescriptor]
    /// What to subscribe to, below `B/`.
    /// - Source: contrib/contract/mqtt.md, "Rule 10: subscribe narrowly".
    package let filters: [String]
    private let topics: LevelTree

    /// - Precondition: No two commands have the same topic.
    package init(_ descriptors: [CommandDescriptor]) {
        let descriptors = descriptors + [.unknownRequest(among: descriptors)]
        self.descriptors = descriptors
        let all = descriptors.compactMap(\.topic).map { LevelTree.filter($0) }
        filters = all.filter { filter in !all.contains { $0 != filter && LevelTree.covers($0, filter) } }
        topics = LevelTree(descriptors)
    }

    /// The commands of a further device's node: those about the device, and requests.
    package convenience init(ofDevice all: CommandTable) {
        self.init(
            all.descriptors.filter { descriptor in
                guard let topic = descriptor.topic, !topic.contains("{verb}") else { return false }
                return Self.ofDevice.contains(String(topic.prefix { $0 != "/" }))
            }
        )
    }

    /// The first levels of the commands that the node of a further device takes.
    private static let ofDevice: Set<String> = [
        "nearby", "device", "environment", "sensors", "lifecycle", "request",
    ]

    /// The command of a topic below `B/`; `nil` if it is no command topic.
    package func topic(_ tail: Substring) -> CommandTopic? { topics.find(tail) }
}

extension CommandDescriptor {
    /// Refuses every other verb.
    fileprivate static func unknownRequest(among descriptors: [CommandDescriptor]) -> CommandDescriptor {
        let verbs = descriptors.compactMap(\.topic).filter { $0.hasPrefix("request/") }.map {
            String($0.dropFirst("request/".count))
        }
        return CommandDescriptor("request/{verb}", subject: nil) { topic, _ throws(Refusal) in
            let others = NearestName.choice(for: topic.name, among: verbs)
            throw Refusal(.unknownVerb, "no request is called \(QuotedValue.of(topic.name))\(others)")
        }
    }
}

/// Finds patterns such as `things/{thing}/set`, level by level.
private struct LevelTree: Sendable {
    private struct Node: Sendable {
        var descriptor: CommandDescriptor?
        var next: [(level: [UInt8], node: Int)] = []
        /// The node of any other level.
        var other: Int?
    }

    private var nodes = [Node()]

    init(_ descriptors: [CommandDescriptor]) {
        for descriptor in descriptors {
            guard let pattern = descriptor.topic else { continue }
            let node = pattern.split(separator: "/").reduce(0) { self.node(after: $0, String($1)) }
            precondition(nodes[node].descriptor == nil, "two commands on \(pattern)")
            nodes[node].descriptor = descriptor
        }
    }

    private mutating func node(after node: Int, _ level: String) -> Int {
        let isName = level.hasPrefix("{")
        let bytes = Array(level.utf8)
        let known = isName ? nodes[node].other : nodes[node].next.first { $0.level == bytes }?.node
        if let known { return known }
        nodes.append(Node())
        let new = nodes.count - 1
        if isName { nodes[node].other = new } else { nodes[node].next.append((bytes, new)) }
        return new
    }

    func find(_ topic: Substring) -> CommandTopic? {
        var topic = topic
        return topic.withUTF8 { bytes in
            var search = Search()
            var rest = bytes[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "/")) {
                guard search.follow(rest[..<end], in: nodes) else { return nil }
                rest = rest[(end + 1)...]
            }
            return search.follow(rest, in: nodes) ? search.topic(in: nodes) : nil
        }
    }

    private struct Search {
        private var node = 0
        private var names: (String, String) = ("", "")
        private var count = 0

        /// Goes one level down; a literal level counts more than a name.
        mutating func follow(_ level: Swift.Slice<UnsafeBufferPointer<UInt8>>, in nodes: [Node]) -> Bool {
            for next in nodes[node].next where level.elementsEqual(next.level) {
                node = next.node
                return true
            }
            guard let other = nodes[node].other else { return false }
            let name = String(decoding: level, as: UTF8.self)
            if count == 0 { names.0 = name } else { names.1 = name }
            (node, count) = (other, count + 1)
            return true
        }

        func topic(in nodes: [Node]) -> CommandTopic? {
            nodes[node].descriptor.map { CommandTopic($0, names.0, names.1) }
        }
    }

    // MARK: Filters

    /// The filter of a pattern: `things/+/set`.
    static func filter(_ pattern: String) -> String {
        pattern.split(separator: "/").map { $0.hasPrefix("{") ? "+" : $0 }.joined(separator: "/")
    }

    /// Whether a filter has all topics of another one.
    static func covers(_ filter: String, _ other: String) -> Bool {
        let (levels, others) = (filter.split(separator: "/"), other.split(separator: "/"))
        return levels.count == others.count && zip(levels, others).allSatisfy { $0 == "+" || $0 == $1 }
    }
}
