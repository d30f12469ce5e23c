package import JSON

/// The sums of one thing's samples that are not stored yet, by group.
///
/// A late sample counts in the group of its own time. They are merged with those that are stored of the
/// same group.
/// - Source: contrib/contract/bindings.md, "History".
package struct UnstoredSums: Sendable, Hashable {
    package let interval: GroupInterval
    /// By the beginning of the group, milliseconds since 1970.
    package private(set) var groups: [Int64: GroupSums] = [:]

    package init(_ interval: GroupInterval) { self.interval = interval }

    package mutating func add(_ state: JSONObject, at time: Int64) {
        groups[interval.start(of: time), default: GroupSums()].add(state, at: time)
    }
}
