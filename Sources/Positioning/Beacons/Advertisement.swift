/// The address that a radio device sends from.
package struct DeviceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The lower 48 bits, as the address is written: its first byte is the highest.
    package let bits: UInt64
    /// Whether it is a random address, which may change at any time.
    package let isRandom: Bool

    package init(bits: UInt64, isRandom: Bool) {
        self.bits = bits & 0xFFFF_FFFF_FFFF
        self.isRandom = isRandom
    }

    /// From six pairs of hexadecimal digits with colons between them; `nil` for any other text.
    package init?(_ text: String, isRandom: Bool = false) {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = pairs.compactMap { $0.utf8.count == 2 && $0.first != "+" ? UInt8($0, radix: 16) : nil }
        guard text.utf8.count == 17, pairs.count == 6, bytes.count == 6 else { return nil }
        self.init(bits: bytes.reduce(0) { $0 << 8 | UInt64($1) }, isRandom: isRandom)
    }

    /// As in `C0:FF:EE:00:00:01`.
    package var description: String {
        bits.bigEndianBytes.dropFirst(2).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined(separator: ":")
    }
}

/// One received advertising packet.
package struct Advertisement: Sendable, Hashable {
    /// Seconds on the source's steady clock.
    package var time: Double
    package var address: DeviceAddress
    package var payload: [UInt8]
    /// Received power, dBm; 127 means that the receiver could not measure it.
    package var rssi: Int

    package init(time: Double, address: DeviceAddress, payload: [UInt8], rssi: Int) {
        self.time = time
        self.address = address
        self.payload = payload
        self.rssi = rssi
    }
}
