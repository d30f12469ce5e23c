/// The 16-byte UUID that the beacons of one environment share.
package struct BeaconUUID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// From 32 hexadecimal digits, with or without hyphens; `nil` for any other text.
    package init?(_ text: String) {
        guard text.utf8.count <= 36 else { return nil }
        let digits = text.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    /// Upper case, with hyphens after 8, 12, 16 and 20 digits.
    package var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return text
    }
}

/// The 10-byte Eddystone namespace, which abbreviates a 16-byte UUID.
package struct EddystoneNamespace: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt16

    package init(high: UInt64, low: UInt16) {
        self.high = high
        self.low = low
    }

    /// From 20 hexadecimal digits; `nil` for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 20, text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt16(text.suffix(4), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Whether it abbreviates the UUID: its first and last five bytes, or its first four and last six.
    /// - Source: contrib/contract/flare-protocol.md, "11. The original Android and Python clients".
    package func abbreviates(_ uuid: BeaconUUID) -> Bool {
        let (five, six): (UInt64, UInt64) = (0xFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF)
        let end = high << 16 | UInt64(low)
        return high >> 24 == uuid.high >> 24 && end & five == uuid.low & five
            || high >> 32 == uuid.high >> 32 && end & six == uuid.low & six
    }

    private var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

/// A beacon's identity: its environment's UUID, its zone's major and its own minor number.
package struct BeaconIdentity: Sendable, Hashable {
    package enum Group: Sendable, Hashable {
        case uuid(BeaconUUID)
        case namespace(EddystoneNamespace)
        /// Reversed roles: receivers of the place detect the device; major and minor hold the receiver's
        /// index in the map.
        case receivers
    }

    package let group: Group
    package let major: UInt16
    package let minor: UInt16

    package init(group: Group, major: UInt16, minor: UInt16) {
        self.group = group
        self.major = major
        self.minor = minor
    }

    package init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.init(group: .uuid(uuid), major: major, minor: minor)
    }

    /// Whether the beacon can belong to an environment with this UUID.
    package func belongs(to uuid: BeaconUUID) -> Bool {
        switch group {
        case .uuid(let own): own == uuid
        case .namespace(let namespace): namespace.abbreviates(uuid)
        case .receivers: false
        }
    }
}
