package import JSON

/// The sums of one thing's samples that are not stored yet, by group.
///
/// A late sample counts in the group of its own time. What is taken is merged with what is stored of the same group.
/// - Source: contrib/contract/bindings.md, "History".
package struct UnstoredSums: Sendable, Hashable {
    package let interval: GroupInterval
    /// By the beginning of the group, milliseconds since 1970.
    package private(set) var groups: [Int64: GroupSums] = [:]

    package init(_ interval: GroupInterval) { self.interval = interval }

    package mutating func add(_ state: JSONObject, at time: Int64) {
        groups[interval.start(of: time), default: GroupSums()].add(state, at: time)
    }

    /// Takes the sums of the groups that are over at a time, and of all late samples with them.
    package mutating func takeGroups(endedAt time: Int64) -> [(start: Int64, sums: GroupSums)] {
        let length = interval.milliseconds
        return take { $0 + length <= time }
    }

    /// Takes all sums.
    package mutating func takeAll() -> [(start: Int64, sums: GroupSums)] { take { _ in true } }

    /// The oldest group comes first.
    private mutating func take(_ isTaken: (Int64) -> Bool) -> [(start: Int64, sums: GroupSums)] {
        let starts = groups.keys.filter(isTaken).sorted()
        return starts.compactMap { start in groups.removeValue(forKey: start).map { (start, $0) } }
    }
}
