/// Reads numbers and pieces from the front of bytes that cannot be trusted; what is not there is `nil`.
///
/// For what is read once: headers of files, messages of the adapter. Packets are read by ``Swift/Span``.
package struct ByteCursor: Sendable {
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package mutating func byte() -> UInt8? { rest.popFirst() }

    /// The next `count` bytes; when there are fewer, `nil`, and nothing is taken.
    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func bigEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) -> Number? {
        take(Number.bitWidth / 8)?.reduce(0) { $0 << 8 | Number($1) }
    }

    package mutating func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) -> Number? {
        take(Number.bitWidth / 8)?.reversed().reduce(0) { $0 << 8 | Number($1) }
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
