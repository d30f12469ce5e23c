import Positioning

/// Builds btsnoop captures, valid or not.
struct BtsnoopFixture {
    var bytes: [UInt8]
    private var time: UInt64 = 0x00DC_DDB3_0F2F_8000 + 1_700_000_000_000_000

    init(datalink: UInt32, version: UInt32 = 1) {
        bytes = Array("btsnoop".utf8) + [0] + version.bigEndianBytes + datalink.bigEndianBytes
    }

    mutating func add(
        _ data: [UInt8],
        flags: UInt32,
        original: Int? = nil,
        after microseconds: Int64 = 100_000
    ) {
        time = UInt64(bitPattern: Int64(bitPattern: time) + microseconds)
        bytes += UInt32(original ?? data.count).bigEndianBytes + UInt32(data.count).bigEndianBytes
        bytes += flags.bigEndianBytes + UInt32(0).bigEndianBytes + time.bigEndianBytes + data
    }

    /// An event with one iBeacon of this minor, from its event code on.
    static func event(minor: UInt16, rssi: Int8 = -60) -> [UInt8] {
        let payload = BeaconFrame.iBeaconPayload(
            uuid: BeaconUUID(high: 1, low: 2),
            major: 1,
            minor: minor,
            powerAtOneMetre: -59
        )
        let report: [UInt8] =
            [0, 1, 1, 2, 3, 4, 5, 0xC6, UInt8(payload.count)] + payload + [UInt8(bitPattern: rssi)]
        return [0x3E, UInt8(report.count + 2), 0x02, 1] + report
    }
}
