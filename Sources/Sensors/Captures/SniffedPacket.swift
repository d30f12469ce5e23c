import Positioning

/// A packet of the air as a sniffer wrote it down, from its access address on.
package struct SniffedPacket: Sendable, Hashable {
    let bytes: [UInt8]
    /// dBm; 127 when the sniffer did not tell.
    let rssi: Int
    /// Whether the packet was sent coded for long range, which puts a byte behind the access address.
    var isCoded = false

    private static let advertisingAccess: UInt32 = 0xD6BE_898E
    private static let checkLength = 3

    private enum Kind {
        static let legacy: Set<UInt8> = [0, 2, 4, 6]
        static let extended: UInt8 = 7
    }

    /// Shows the sender and the payload, when this is an advertising packet that has both.
    ///
    /// - Returns: Whether the packet was whole, advertising or not.
    /// - Source: Bluetooth Core Specification, volume 6, part B, 2.3. Fragments behind the first of an extended
    ///   packet do not say whose they are, and are passed over.
    func withAdvertisement(_ take: (DeviceAddress, Span<UInt8>) -> Void) -> Bool {
        let span = bytes.span
        let header = isCoded ? 5 : 4
        guard span.count >= header + 2 else { return false }
        guard span.bigEndian32(at: 0) == Self.advertisingAccess else { return true }
        let end = header + 2 + Int(span[header + 1])
        guard end + Self.checkLength <= span.count else { return false }
        let (kind, isRandom) = (span[header] & 15, span[header] & 0x40 != 0)
        let body = span.extracting(header + 2..<end)
        if Kind.legacy.contains(kind) {
            guard body.count >= 6 else { return false }
            take(Self.address(in: body, at: 0, isRandom), body.extracting(6..<body.count))
        } else if kind == Kind.extended {
            guard let first = body.count > 0 ? Int(body[0] & 0x3F) : nil, first < body.count else {
                return false
            }
            // The flags say what stands in the header; a sender is the first of it.
            guard first >= 7, body[1] & 1 == 1, first + 1 < body.count else { return true }
            take(Self.address(in: body, at: 2, isRandom), body.extracting(first + 1..<body.count))
        }
        return true
    }

    private static func address(in bytes: Span<UInt8>, at index: Int, _ isRandom: Bool) -> DeviceAddress {
        DeviceAddress(bits: bytes.littleEndian48(at: index), isRandom: isRandom)
    }
}
