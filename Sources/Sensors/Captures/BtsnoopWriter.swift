import CBluetooth
package import Positioning

/// Writes advertising packets as a btsnoop capture (datalink 1001) into memory.
package struct BtsnoopWriter: Sendable {
    package private(set) var bytes: [UInt8]

    /// Time 0 of the advertisements, microseconds since the year 0.
    private let start: UInt64
    private static let receivedEvent: UInt32 = 3

    /// - Parameter secondsSince1970: Time 0 of the advertisements.
    package init(secondsSince1970: UInt32) {
        start = UInt64(BtsnoopFormat.epoch) + UInt64(secondsSince1970) * 1_000_000
        bytes = BtsnoopFormat.magic + UInt32(1).bigEndianBytes + UInt32(1001).bigEndianBytes
    }

    /// Appends one packet as an LE advertising report.
    ///
    /// Payloads are cut to 31 bytes, the limit of such a report. Negative and invalid times count as 0.
    package mutating func append(_ advertisement: Advertisement) {
        let payload = advertisement.payload.prefix(AdvertisingReportParser.longestLegacyPayload)
        let report: [UInt8] =
            [AdvertisingReportParser.LegacyType.nonConnectable, advertisement.address.isRandom ? 1 : 0]
            + advertisement.address.bits.littleEndianBytes.prefix(6) + [UInt8(payload.count)] + payload
            + [UInt8(bitPattern: Int8(clamping: advertisement.rssi))]
        let parameters = [UInt8(EVT_LE_ADVERTISING_REPORT), 1] + report
        append(
            event: [UInt8(EVT_LE_META_EVENT), UInt8(parameters.count)] + parameters,
            at: advertisement.time
        )
    }

    private mutating func append(event: [UInt8], at seconds: Double) {
        let microseconds = UInt64(exactly: (max(seconds, 0) * 1_000_000).rounded()) ?? 0
        bytes += UInt32(event.count).bigEndianBytes + UInt32(event.count).bigEndianBytes
        bytes += Self.receivedEvent.bigEndianBytes + UInt32(0).bigEndianBytes
        bytes += (start &+ microseconds).bigEndianBytes + event
    }
}
