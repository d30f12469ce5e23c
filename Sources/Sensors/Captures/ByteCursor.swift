/// Reads numbers and slices from the front of a recording's bytes; `nil` when there are not enough.
///
/// For data that is read once, such as file headers. Packets are read through ``Swift/Span``.
package struct ByteCursor: Sendable {
    /// The byte order of the machine that wrote the numbers.
    package enum Order: Sendable { case big, little }

    package private(set) var rest: ArraySlice<UInt8>
    private let order: Order

    package init(_ bytes: ArraySlice<UInt8>, _ order: Order) {
        rest = bytes
        self.order = order
    }

    package mutating func byte() -> UInt8? { rest.popFirst() }

    /// Removes and returns the next `count` bytes; `nil`, removing nothing, when there are fewer.
    package mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) -> Number? {
        guard let bytes = read(Number.bitWidth / 8) else { return nil }
        let number = bytes.reduce(0) { $0 << 8 | Number($1) }
        return order == .big ? number : number.byteSwapped
    }
}
