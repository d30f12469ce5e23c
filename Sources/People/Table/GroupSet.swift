/// A set of groups by their number in a table: 256 bits, so that a look needs no memory.
struct GroupSet: Sendable, Hashable {
    static let capacity = 256

    private var bits = SIMD4<UInt64>()

    var isEmpty: Bool { bits == SIMD4() }

    /// Numbers outside the capacity are ignored.
    mutating func insert(_ number: Int) {
        guard (0..<Self.capacity).contains(number) else { return }
        bits[number / 64] |= 1 << UInt64(number % 64)
    }

    func intersection(_ other: GroupSet) -> GroupSet {
        var result = self
        result.bits &= other.bits
        return result
    }

    /// Removes the smallest number.
    mutating func popFirst() -> Int? {
        for word in 0..<4 where bits[word] != 0 {
            let number = bits[word].trailingZeroBitCount
            bits[word] &= bits[word] - 1
            return word * 64 + number
        }
        return nil
    }
}
