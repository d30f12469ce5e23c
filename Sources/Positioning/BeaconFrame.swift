/// What a beacon says of itself in one advertising packet.
package enum BeaconFrame: Sendable, Hashable {
    case iBeacon(BeaconIdentity, powerAtOneMetre: Int?)
    case altBeacon(BeaconIdentity, powerAtOneMetre: Int?)
    case eddystoneUID(EddystoneUID)

    /// All frames of a payload, in order.
    package static func frames(in payload: [UInt8]) -> [BeaconFrame] {
        AdvertisingData(parsing: payload).structures.compactMap(BeaconFrame.init)
    }

    /// Which beacon of a place it is; `nil` for an Eddystone instance that does not hold the two numbers.
    package var identity: BeaconIdentity? {
        switch self {
        case .iBeacon(let identity, _), .altBeacon(let identity, _): identity
        case .eddystoneUID(let frame): frame.identity
        }
    }

    /// The power that the beacon says it is heard with at one metre, dBm; `nil` when it says none.
    package var powerAtOneMetre: Int? {
        switch self {
        case .iBeacon(_, let power), .altBeacon(_, let power): power
        case .eddystoneUID(let frame): frame.powerAtOneMetre
        }
    }

    private init?(_ structure: AdvertisingData.Structure) {
        switch structure.type {
        case AdvertisingData.Kind.manufacturer: self.init(manufacturerData: structure.data)
        case AdvertisingData.Kind.serviceData16: self.init(serviceData: structure.data)
        default: return nil
        }
    }

    /// Both kinds are known by their marks; the maker of an AltBeacon may be anyone.
    /// - Source: AltBeacon 1.0; positioning 1.2 and 1.3.
    private init?(manufacturerData data: ArraySlice<UInt8>) {
        var cursor = ByteCursor(data)
        guard let company = cursor.littleEndian(UInt16.self), let mark = cursor.bigEndian(UInt16.self),
            let high = cursor.bigEndian(UInt64.self), let low = cursor.bigEndian(UInt64.self),
            let major = cursor.bigEndian(UInt16.self), let minor = cursor.bigEndian(UInt16.self),
            let level = cursor.signedByte()
        else { return nil }
        let identity = BeaconIdentity(uuid: BeaconUUID(high: high, low: low), major: major, minor: minor)
        let power = Self.power(level)
        switch (company, mark) {
        case (0x004C, 0x0215): self = .iBeacon(identity, powerAtOneMetre: power)
        case (_, 0xBEAC) where !cursor.rest.isEmpty: self = .altBeacon(identity, powerAtOneMetre: power)
        default: return nil
        }
    }

    /// - Source: Eddystone-UID; the two reserved bytes at the end may be missing.
    private init?(serviceData data: ArraySlice<UInt8>) {
        var cursor = ByteCursor(data)
        guard cursor.littleEndian(UInt16.self) == 0xFEAA, cursor.byte() == 0x00,
            let level = cursor.signedByte(),
            let high = cursor.bigEndian(UInt64.self), let low = cursor.bigEndian(UInt16.self),
            let instance = cursor.take(6)
        else { return nil }
        self = .eddystoneUID(
            EddystoneUID(
                namespace: EddystoneNamespace(high: high, low: low),
                instance: Array(instance),
                powerAtZeroMetres: level
            )
        )
    }

    /// A level that no beacon can have at one metre counts as not said.
    fileprivate static func power(_ level: Int) -> Int? {
        level < 0 ? level : nil
    }

    /// The advertising payload of an iBeacon.
    package static func iBeaconPayload(
        uuid: BeaconUUID,
        major: UInt16,
        minor: UInt16,
        powerAtOneMetre: Int
    ) -> [UInt8] {
        [
            0x02, AdvertisingData.Kind.flags, 0x06, 0x1A, AdvertisingData.Kind.manufacturer, 0x4C, 0x00, 0x02,
            0x15,
        ]
            + uuid.bytes + major.bigEndianBytes + minor.bigEndianBytes
            + [UInt8(bitPattern: Int8(clamping: powerAtOneMetre))]
    }
}

/// An Eddystone-UID frame.
package struct EddystoneUID: Sendable, Hashable {
    package let namespace: EddystoneNamespace
    /// Six bytes.
    package let instance: [UInt8]
    /// dBm.
    package let powerAtZeroMetres: Int

    /// 41 dB are lost on the first metre.
    package var powerAtOneMetre: Int? { BeaconFrame.power(powerAtZeroMetres - 41) }

    /// Major and minor are the last eight hexadecimal digits of the instance, read as four decimal digits each.
    /// - Source: the origin's Java client, flare-protocol 11.
    package var identity: BeaconIdentity? {
        let digits = instance.suffix(4).flatMap { [$0 >> 4, $0 & 15] }
        guard digits.count == 8, digits.allSatisfy({ $0 < 10 }) else { return nil }
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt16(0)) { $0 * 10 + UInt16($1) } }
        return BeaconIdentity(
            group: .namespace(namespace),
            major: number(digits.prefix(4)),
            minor: number(digits.suffix(4))
        )
    }
}
