import Flare

/// The further nodes by the zone in which their device is, and by the thing that it is near.
///
/// With it a change of an object costs the same with any number of devices that are elsewhere.
struct NodesByPlace: Sendable {
    private var nodes: [ObjectReference: Set<String>] = [:]

    /// Those at a zone or a thing.
    subscript(object: ObjectReference) -> Set<String> { nodes[object] ?? [] }

    /// A node's device is in another zone, or near another thing.
    mutating func move(_ node: String, _ kind: FlareClass, from old: FlareID?, to new: FlareID?) {
        guard old != new else { return }
        if let old = old.map({ ObjectReference(kind, $0) }) {
            nodes[old]?.remove(node)
            if nodes[old]?.isEmpty == true { nodes[old] = nil }
        }
        if let new { nodes[ObjectReference(kind, new), default: []].insert(node) }
    }
}
