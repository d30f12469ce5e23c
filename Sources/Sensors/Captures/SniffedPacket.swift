import Positioning

/// A link-layer packet captured by a sniffer, from its access address on.
package struct SniffedPacket: Sendable, Hashable {
    let bytes: [UInt8]
    /// dBm; 127 when the sniffer did not measure it.
    let rssi: Int
    /// Whether it used the coded PHY, which adds a byte after the access address.
    var isCoded = false

    private static let advertisingAccess: UInt32 = 0xD6BE_898E
    private static let checkLength = 3

    private enum Kind {
        static let legacy: Set<UInt8> = [0, 2, 4, 6]
        static let extended: UInt8 = 7
    }

    /// Calls `body` with the sender and the payload of an advertising packet that has both.
    ///
    /// - Returns: Whether the packet was complete, advertising or not.
    /// - Source: Bluetooth Core Specification, volume 6, part B, 2.3. Later fragments of an extended packet
    ///   do not name their sender, and are skipped.
    func withAdvertisement(_ body: (DeviceAddress, Span<UInt8>) -> Void) -> Bool {
        let span = bytes.span
        let header = isCoded ? 5 : 4
        guard span.count >= header + 2 else { return false }
        guard span.bigEndian32(at: 0) == Self.advertisingAccess else { return true }
        let end = header + 2 + Int(span[header + 1])
        guard end + Self.checkLength <= span.count else { return false }
        let (kind, isRandom) = (span[header] & 15, span[header] & 0x40 != 0)
        let content = span.extracting(header + 2..<end)
        if Kind.legacy.contains(kind) {
            guard content.count >= 6 else { return false }
            body(Self.address(in: content, at: 0, isRandom), content.extracting(6..<content.count))
        } else if kind == Kind.extended {
            guard let first = content.count > 0 ? Int(content[0] & 0x3F) : nil, first < content.count else {
                return false
            }
            // The flags list the fields of the header; the sender is the first.
            guard first >= 7, content[1] & 1 == 1, first + 1 < content.count else { return true }
            body(Self.address(in: content, at: 2, isRandom), content.extracting(first + 1..<content.count))
        }
        return true
    }

    private static func address(in bytes: Span<UInt8>, at index: Int, _ isRandom: Bool) -> DeviceAddress {
        DeviceAddress(bits: bytes.littleEndian48(at: index), isRandom: isRandom)
    }
}
