extension BeaconFrame {
    private enum FrameType {
        static let uid: UInt8 = 0x00
        static let telemetry: UInt8 = 0x20
        static let ephemeral: UInt8 = 0x30
    }

    /// - Source: Eddystone protocol specification; contrib/contract/positioning.md, "1.4 Eddystone". Many
    ///   senders omit the list of service UUIDs and the two reserved bytes at the end of a UID.
    init?(eddystone data: Span<UInt8>) {
        guard data.count >= 4, data.littleEndian16(at: 0) == 0xFEAA else { return nil }
        // Frames state the power at zero metres, which is 41 dB more than at one.
        let power = Self.power(data.signedByte(at: 3) - 41)
        switch data[2] {
        case FrameType.uid where data.count >= 20:
            let namespace = EddystoneNamespace(high: data.bigEndian64(at: 4), low: data.bigEndian16(at: 12))
            self = .beacon(Self.identity(in: namespace, of: data), powerAtOneMetre: power)
        case FrameType.telemetry where data[3] == 0 && data.count >= 16:
            self = .telemetry(BeaconTelemetry(eddystone: data.extracting(4..<16)))
        case FrameType.telemetry where data[3] == 1 && data.count >= 20:
            self = .encryptedTelemetry(
                EncryptedTelemetry(
                    cipher: (4..<16).map { data[$0] },
                    salt: data.bigEndian16(at: 16),
                    check: data.bigEndian16(at: 18)
                )
            )
        case FrameType.ephemeral where data.count >= 12:
            self = .ephemeral(id: data.bigEndian64(at: 4), powerAtOneMetre: power)
        default: return nil
        }
    }

    /// Major and minor are the last eight hexadecimal digits of the instance, read as four decimal digits each.
    /// - Source: the origin's Java client, contrib/contract/flare-protocol.md,
    ///   "11. The original Android and Python clients".
    private static func identity(in namespace: EddystoneNamespace, of data: Span<UInt8>) -> BeaconIdentity? {
        guard let major = decimal(data.bigEndian16(at: 16)), let minor = decimal(data.bigEndian16(at: 18))
        else { return nil }
        return BeaconIdentity(group: .namespace(namespace), major: major, minor: minor)
    }

    /// Reads four hexadecimal digits as a decimal number; `nil` when one is above 9.
    private static func decimal(_ digits: UInt16) -> UInt16? {
        var number: UInt16 = 0
        for shift in stride(from: 12, through: 0, by: -4) {
            let digit = digits >> shift & 15
            guard digit < 10 else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}

/// An encrypted Eddystone-TLM frame, readable only with the beacon's key.
package struct EncryptedTelemetry: Sendable, Hashable {
    /// Twelve bytes.
    package let cipher: [UInt8]
    package let salt: UInt16
    /// The first two bytes of the authentication tag.
    package let check: UInt16

    package init(cipher: [UInt8], salt: UInt16, check: UInt16) {
        self.cipher = cipher
        self.salt = salt
        self.check = check
    }
}
