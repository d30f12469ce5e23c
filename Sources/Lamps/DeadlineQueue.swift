/// When each of several wants to be asked again.
///
/// A look over the most that there may be, a thousand, takes a microsecond: less than anything that would save it is worth.
package struct DeadlineQueue: Sendable {
    private var dues: [Int64?]

    /// - Parameter count: How many there are; none of them wants to be asked yet.
    package init(count: Int) { dues = Array(repeating: nil, count: count) }

    /// When the first of them wants to be asked.
    package var earliest: Int64? { dues.lazy.compactMap { $0 }.min() }

    /// When one of them does; `nil` for not at all.
    package subscript(index: Int) -> Int64? {
        get { dues[index] }
        set { dues[index] = newValue }
    }

    /// Those that wanted to be asked by now, in their order; they do not want it any more.
    package mutating func takeDue(at now: Int64) -> [Int] {
        var taken: [(due: Int64, index: Int)] = []
        for (index, due) in dues.enumerated() {
            guard let due, due <= now else { continue }
            taken.append((due, index))
            dues[index] = nil
        }
        return taken.sorted { $0 < $1 }.map(\.index)
    }
}
