/// The next deadline of each of several clients.
///
/// Linear search: a pass over the most clients there can be, a thousand, takes a microsecond.
package struct DeadlineQueue: Sendable {
    private var dues: [Int64?]

    /// - Parameter count: The number of clients; none has a deadline at first.
    package init(count: Int) { dues = Array(repeating: nil, count: count) }

    /// The earliest deadline.
    package var earliest: Int64? { dues.lazy.compactMap { $0 }.min() }

    /// A client's deadline; `nil` for none.
    package subscript(index: Int) -> Int64? {
        get { dues[index] }
        set { dues[index] = newValue }
    }

    /// Removes the deadlines that have passed, and returns their clients in order of time.
    package mutating func removeDue(at now: Int64) -> [Int] {
        var removed: [(due: Int64, index: Int)] = []
        for (index, due) in dues.enumerated() {
            guard let due, due <= now else { continue }
            removed.append((due, index))
            dues[index] = nil
        }
        return removed.sorted { $0 < $1 }.map(\.index)
    }
}
