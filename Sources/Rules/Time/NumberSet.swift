/// A set of numbers from 0 to 63: minutes, hours, days or months.
package struct NumberSet: Sendable, Hashable {
    /// One bit a number.
    private(set) var bits: UInt64 = 0

    package init() {}

    /// Numbers that are not from 0 to 63 are ignored.
    package init(_ numbers: some Sequence<Int>) {
        for number in numbers { insert(number) }
    }

    package mutating func insert(_ number: Int) {
        guard 0..<64 ~= number else { return }
        bits |= 1 << UInt64(number)
    }

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ number: Int) -> Bool {
        0..<64 ~= number && bits >> UInt64(number) & 1 == 1
    }

    /// The numbers in rising order.
    package var numbers: [Int] { (0..<64).filter(contains) }

    /// The least number that is at least this one.
    func first(from number: Int) -> Int? {
        guard number < 64 else { return nil }
        let start = UInt64(max(0, number))
        let rest = (bits >> start) << start
        return rest == 0 ? nil : rest.trailingZeroBitCount
    }

    /// The greatest number that is at most this one.
    func last(through number: Int) -> Int? {
        guard number >= 0 else { return nil }
        let unused = UInt64(63 - min(63, number))
        let rest = (bits << unused) >> unused
        return rest == 0 ? nil : 63 - rest.leadingZeroBitCount
    }
}
