import Messages

/// Finds out which daemon is meant when the command line does not say.
package struct NodeFinder {
    package enum Finding: Hashable {
        case one(String)
        /// Several are online: the user has to choose.
        case several([String])
    }

    private let base: String
    private var online: Set<String> = []

    package init(base: String) { self.base = base }

    package var filter: String { Topics(root: "\(base)/+").status }

    package mutating func heard(topic: String, payload: [UInt8]) {
        let levels = topic.dropFirst(base.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard topic.hasPrefix(base + "/"), levels.count == 2, levels[1] == "status" else { return }
        let node = String(levels[0])
        if payload == Array("online".utf8) { online.insert(node) } else { online.remove(node) }
    }

    /// What was found when nothing more is expected; `nil` when none is online.
    package var finding: Finding? {
        let nodes = online.sorted()
        return nodes.count > 1 ? .several(nodes) : nodes.first.map(Finding.one)
    }
}
