/// A set of groups by their number in a table: 256 bits, so that a look needs no memory.
struct GroupSet: Sendable {
    static let capacity = 256

    // Not a vector, which would be aligned to 32 bytes.
    private var words = InlineArray<4, UInt64>(repeating: 0)

    var isEmpty: Bool { words.indices.allSatisfy { words[$0] == 0 } }

    /// Numbers outside the capacity are ignored.
    mutating func insert(_ number: Int) {
        guard (0..<Self.capacity).contains(number) else { return }
        words[number / 64] |= 1 << UInt64(number % 64)
    }

    func intersection(_ other: GroupSet) -> GroupSet {
        var result = self
        for word in words.indices { result.words[word] &= other.words[word] }
        return result
    }

    /// Removes the smallest number.
    mutating func popFirst() -> Int? {
        for word in words.indices where words[word] != 0 {
            let number = words[word].trailingZeroBitCount
            words[word] &= words[word] - 1
            return word * 64 + number
        }
        return nil
    }
}
