/// One beacon frame in an advertising packet.
package enum BeaconFrame: Sendable, Hashable {
    /// An iBeacon, an AltBeacon or an Eddystone-UID; without an identity if it is not one of Flare's.
    case beacon(BeaconIdentity?, powerAtOneMetre: Int?)
    /// An Eddystone-EID: an identifier that can be resolved only with the beacon's key.
    case ephemeral(id: UInt64, powerAtOneMetre: Int?)
    /// Telemetry. The sender's address is its only identity.
    case telemetry(BeaconTelemetry)
    case encryptedTelemetry(EncryptedTelemetry)

    /// Calls `body` with each frame of a payload, in order.
    package static func forEachFrame(in payload: Span<UInt8>, _ body: (BeaconFrame) -> Void) {
        AdvertisingData.forEachStructure(in: payload) { type, data in
            let frame =
                switch type {
                case AdvertisingData.Kind.manufacturer: BeaconFrame(manufacturerData: data)
                case AdvertisingData.Kind.serviceData16: BeaconFrame(eddystone: data)
                default: nil as BeaconFrame?
                }
            if let frame { body(frame) }
        }
    }

    /// The beacon's identity, when the frame itself carries one.
    package var identity: BeaconIdentity? {
        if case .beacon(let identity, _) = self { identity } else { nil }
    }

    /// The calibrated power at one metre, dBm; `nil` when the frame carries none.
    package var powerAtOneMetre: Int? {
        switch self {
        case .beacon(_, let power), .ephemeral(_, let power): power
        case .telemetry, .encryptedTelemetry: nil
        }
    }

    private enum Marker {
        static let apple: UInt16 = 0x004C
        static let ruuvi: UInt16 = 0x0499
        /// Type and length that mark an iBeacon among Apple's message types.
        static let iBeacon: UInt16 = 0x0215
        static let altBeacon: UInt16 = 0xBEAC
    }

    /// iBeacons and AltBeacons are recognised by their markers; an AltBeacon may carry any company
    /// identifier.
    /// - Source: AltBeacon 1.0; contrib/contract/positioning.md, "1.2 iBeacon"; "1.3 AltBeacon";
    ///   "1.5 Ruuvi telemetry".
    private init?(manufacturerData data: Span<UInt8>) {
        guard data.count >= 4 else { return nil }
        let (company, marker) = (data.littleEndian16(at: 0), data.bigEndian16(at: 2))
        if company == Marker.ruuvi {
            guard let telemetry = BeaconTelemetry(ruuvi: data.extracting(2..<data.count)) else { return nil }
            self = .telemetry(telemetry)
            return
        }
        let isAltBeacon = marker == Marker.altBeacon
        guard isAltBeacon || company == Marker.apple && marker == Marker.iBeacon,
            data.count >= (isAltBeacon ? 26 : 25)
        else { return nil }
        let identity = BeaconIdentity(
            uuid: BeaconUUID(high: data.bigEndian64(at: 4), low: data.bigEndian64(at: 12)),
            major: data.bigEndian16(at: 20),
            minor: data.bigEndian16(at: 22)
        )
        self = .beacon(identity, powerAtOneMetre: Self.power(data.signedByte(at: 24)))
    }

    /// The power at one metre; `nil` for 0 and above, which no beacon can have.
    static func power(_ level: Int) -> Int? {
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
