/// A set of characters, as ranges; or all others.
struct ScalarSet: Sendable {
    var ranges: [ClosedRange<UInt32>]
    var isInverted = false

    init(_ ranges: [ClosedRange<UInt32>], isInverted: Bool = false) {
        (self.ranges, self.isInverted) = (ranges, isInverted)
    }

    init(_ scalar: Unicode.Scalar) { self.init([scalar.value...scalar.value]) }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isInverted
    }

    /// The ranges of what is in the set.
    var members: [ClosedRange<UInt32>] {
        guard isInverted else { return ranges }
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if next <= Self.last { result.append(next...Self.last) }
        return result
    }

    /// The largest Unicode scalar.
    private static let last: UInt32 = 0x10FFFF

    /// All but the end of a line.
    static let any = ScalarSet([10...10, 13...13], isInverted: true)
    static let digit = ScalarSet([48...57])
    static let word = ScalarSet([48...57, 65...90, 95...95, 97...122])
    static let space = ScalarSet([9...13, 32...32, 0xA0...0xA0])

    /// The set that a backslash and this letter mean; an upper case letter means all others.
    init?(escape letter: Unicode.Scalar) {
        switch letter {
        case "d", "D": self = .digit
        case "w", "W": self = .word
        case "s", "S": self = .space
        default: return nil
        }
        isInverted = letter.value < 97
    }
}
