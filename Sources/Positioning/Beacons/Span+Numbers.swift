/// Numbers inside bytes. The caller checks the length; an index past the end traps.
extension Span<UInt8> {
    package func signedByte(at index: Int) -> Int { Int(Int8(bitPattern: self[index])) }

    package func bigEndian16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

    package func bigEndian32(at index: Int) -> UInt32 {
        UInt32(bigEndian16(at: index)) << 16 | UInt32(bigEndian16(at: index + 2))
    }

    package func bigEndian48(at index: Int) -> UInt64 {
        UInt64(bigEndian16(at: index)) << 32 | UInt64(bigEndian32(at: index + 2))
    }

    package func bigEndian64(at index: Int) -> UInt64 {
        UInt64(bigEndian32(at: index)) << 32 | UInt64(bigEndian32(at: index + 4))
    }

    package func littleEndian16(at index: Int) -> UInt16 { bigEndian16(at: index).byteSwapped }

    package func littleEndian48(at index: Int) -> UInt64 { bigEndian48(at: index).byteSwapped >> 16 }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    package var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    package var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}
