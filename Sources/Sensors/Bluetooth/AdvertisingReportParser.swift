import CBluetooth
package import Positioning

/// Extracts advertising packets from HCI events, and joins those that arrive in fragments.
///
/// Damaged reports are dropped and counted; complete reports before them are kept.
/// - Source: Bluetooth Core Specification, volume 4, part E, 7.7.65.2 and 7.7.65.13;
///   contrib/contract/positioning.md, "2. Scanning".
package struct AdvertisingReportParser: Sendable {
    enum LegacyType {
        static let nonConnectable: UInt8 = 3
    }

    static let longestLegacyPayload = 31
    private static let metaEvent = UInt8(EVT_LE_META_EVENT)
    private static let legacyReport = UInt8(EVT_LE_ADVERTISING_REPORT)
    /// BlueZ 5.66 defines no constant for it.
    private static let extendedReport: UInt8 = 0x0D
    /// The longest payload that extended advertising allows.
    private static let longestExtendedPayload = 1650
    private static let mostFragmented = 64
    private static let mostReports: UInt8 = 64

    /// Events and reports that were cut short, inconsistent, or truncated by the controller.
    package private(set) var damagedReports = 0
    private var fragments: [Sender: [UInt8]] = [:]

    /// Called with the sender, the received power in dBm, and the payload in place.
    package typealias Body = (_ sender: DeviceAddress, _ rssi: Int, _ payload: Span<UInt8>) -> Void

    private struct Sender: Hashable {
        let address: DeviceAddress
        let set: UInt8
    }

    package init() {}

    /// Whether an event, from its event code on, contains advertising reports.
    package static func isReport(_ event: Span<UInt8>) -> Bool {
        event.count > 2 && event[0] == metaEvent && (event[2] == legacyReport || event[2] == extendedReport)
    }

    /// Calls `body` with each advertising packet in an event, from its event code on.
    package mutating func forEachAdvertisement(in event: Span<UInt8>, _ body: Body) {
        guard Self.isReport(event) else { return }
        let end = min(2 + Int(event[1]), event.count)
        guard end > 3, (1...Self.mostReports).contains(event[3]) else {
            damagedReports += 1
            return
        }
        var start = 4
        let isExtended = event[2] == Self.extendedReport
        for _ in 0..<event[3] {
            let length =
                isExtended
                ? extendedReport(event.extracting(start..<end), body)
                : legacyReport(event.extracting(start..<end), body)
            guard let length else {
                damagedReports += 1
                return
            }
            start += length
        }
    }

    /// Parses the first of these reports.
    ///
    /// - Returns: Its length; `nil` when it is truncated.
    private func legacyReport(_ bytes: Span<UInt8>, _ body: Body) -> Int? {
        guard bytes.count >= 10 else { return nil }
        let end = 9 + Int(bytes[8])
        guard end < bytes.count else { return nil }
        body(Self.address(in: bytes, at: 1), bytes.signedByte(at: end), bytes.extracting(9..<end))
        return end + 1
    }

    private mutating func extendedReport(_ bytes: Span<UInt8>, _ body: Body) -> Int? {
        guard bytes.count >= 24 else { return nil }
        let end = 24 + Int(bytes[23])
        guard end <= bytes.count else { return nil }
        let payload = bytes.extracting(24..<end)
        let status = bytes[0] >> 5 & 3
        let (address, rssi) = (Self.address(in: bytes, at: 2), bytes.signedByte(at: 13))
        if status == 0, fragments.isEmpty {
            body(address, rssi, payload)
        } else if let whole = join(payload, of: Sender(address: address, set: bytes[11]), status: status) {
            body(address, rssi, whole.span)
        }
        return end
    }

    /// The payload joined with the fragments before it; `nil` while it is incomplete, or when it is damaged.
    private mutating func join(_ payload: Span<UInt8>, of sender: Sender, status: UInt8) -> [UInt8]? {
        var whole = fragments.removeValue(forKey: sender) ?? []
        for index in payload.indices { whole.append(payload[index]) }
        guard status < 2, whole.count <= Self.longestExtendedPayload else {
            damagedReports += 1
            return nil
        }
        guard status == 1 else { return whole }
        // Limits the memory for senders whose last fragment never arrives.
        if fragments.count >= Self.mostFragmented {
            damagedReports += fragments.count
            fragments = [:]
        }
        fragments[sender] = whole
        return nil
    }

    /// The address that follows its type.
    private static func address(in bytes: Span<UInt8>, at index: Int) -> DeviceAddress {
        DeviceAddress(bits: bytes.littleEndian48(at: index + 1), isRandom: bytes[index] & 1 == 1)
    }
}
