/// Reads numbers and slices from the front of untrusted bytes; `nil` when there are not enough.
///
/// For data that is read once, such as file headers and adapter messages. Packets are read through
/// ``Swift/Span``.
package struct ByteCursor: Sendable {
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package mutating func byte() -> UInt8? { rest.popFirst() }

    /// Removes and returns the next `count` bytes; `nil`, removing nothing, when there are fewer.
    package mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func bigEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) -> Number? {
        read(Number.bitWidth / 8)?.reduce(0) { $0 << 8 | Number($1) }
    }

    package mutating func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) -> Number? {
        read(Number.bitWidth / 8)?.reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    package mutating func signedByte() -> Int? {
        byte().map { Int(Int8(bitPattern: $0)) }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    package var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    package var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}
