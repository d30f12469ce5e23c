package import Positioning

/// An advertising packet, and as whom ESPresense would know its sender.
package struct HeardPacket: Sendable, Hashable {
    package var id: HeardID
    /// The name that the sender states.
    package var name: String?
    package var address: DeviceAddress
    /// dBm.
    package var rssi: Int
    /// dBm; `nil` if the packet does not state it.
    package var powerAtOneMetre: Int?
    /// Seconds on a steady clock.
    package var time: Double

    private static let longestName = 60

    /// - Parameter keyName: What the receiver calls the identity key that resolves the address; `nil` if none does.
    /// - Source: ESPresense, BleFingerprint.h: of several ids, that of a key counts most, then that of a beacon, an
    ///   address that stays, a name, and an address that changes.
    package init(
        _ payload: Span<UInt8>,
        from address: DeviceAddress,
        keyName: String?,
        rssi: Int,
        at time: Double
    ) {
        var beacon: HeardID?
        var name: String?
        var power: Int?
        AdvertisingData.forEachStructure(in: payload) { type, data in
            switch type {
            case AdvertisingData.Kind.serviceData16: beacon = beacon ?? Self.eddystone(data)
            // A short and a complete local name.
            case 0x08, 0x09: name = Self.text(data)
            default: break
            }
        }
        BeaconFrame.forEachFrame(in: payload) { frame in
            power = power ?? frame.powerAtOneMetre
            if let identity = frame.identity, case .uuid(let uuid) = identity.group {
                beacon = .iBeacon(uuid, major: identity.major, minor: identity.minor)
            }
        }
        let key = keyName.map { HeardID.keyName($0) }
        let own = HeardID.address(address.bits)
        let named = name.flatMap(Self.kebab).map { HeardID.text("name:\($0)") }
        id = key ?? beacon ?? (address.isRandom ? named ?? own : own)
        (self.name, self.address, self.rssi, powerAtOneMetre, self.time) = (name, address, rssi, power, time)
    }

    /// - Source: Eddystone protocol specification, UID.
    private static func eddystone(_ data: Span<UInt8>) -> HeardID? {
        guard data.count >= 20, data.littleEndian16(at: 0) == 0xFEAA, data[2] == 0 else { return nil }
        let namespace = EddystoneNamespace(high: data.bigEndian64(at: 4), low: data.bigEndian16(at: 12))
        return .eddystone(namespace, instance: data.bigEndian48(at: 14))
    }

    private static func text(_ data: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        for index in 0..<min(data.count, longestName) { bytes.append(data[index]) }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// Small letters, digits and underscores, with a hyphen for whatever is between them.
    /// - Source: ESPresense, string_utils.cpp, `kebabify`.
    private static func kebab(_ text: String) -> String? {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A: result.unicodeScalars.append(Unicode.Scalar(byte + 0x20))
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !result.isEmpty, result.last != "-" { result += "-" }
            }
        }
        if result.last == "-" { result.removeLast() }
        return result.isEmpty ? nil : result
    }
}
