/// Addresses that share their first bits, such as `192.168.0.0/16` or `::1/128`.
package struct NetworkRange: Sendable, Hashable {
    private let bytes: [UInt8]
    /// How many bits are shared.
    private let length: Int

    /// - Parameters:
    ///   - bytes: 4 or 16, in the order of the network.
    ///   - length: 0 to the number of bits.
    /// - Returns: `nil` for other numbers, and if a bit behind the shared ones is set.
    package init?(_ bytes: [UInt8], length: Int) {
        guard bytes.count == 4 || bytes.count == 16, (0...bytes.count * 8).contains(length) else {
            return nil
        }
        for (index, byte) in bytes.enumerated() {
            let shared = min(8, max(0, length - index * 8))
            guard shared == 8 || byte & (0xFF >> UInt8(shared)) == 0 else { return nil }
        }
        (self.bytes, self.length) = (bytes, length)
    }

    package func contains(_ peer: PeerAddress) -> Bool {
        guard peer.bytes.count == bytes.count else { return false }
        var left = length
        for (own, other) in zip(bytes, peer.bytes) {
            guard left > 0 else { return true }
            let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(left))
            guard own & mask == other & mask else { return false }
            left -= 8
        }
        return true
    }
}
