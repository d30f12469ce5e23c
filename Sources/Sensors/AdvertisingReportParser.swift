import CBluetooth
package import Positioning

/// Takes the advertising packets out of HCI events, and joins those that come in fragments.
///
/// What is damaged is dropped and counted; whole reports before it count.
/// - Source: Bluetooth Core Specification, volume 4, part E, 7.7.65.2 and 7.7.65.13; positioning 2.
package struct AdvertisingReportParser: Sendable {
    enum LegacyType {
        static let nonConnectable: UInt8 = 3
    }

    static let longestLegacyPayload = 31
    /// The header of BlueZ 5.66 has no name for it.
    private static let extendedAdvertisingReport: UInt8 = 0x0D
    /// The longest payload that extended advertising allows.
    private static let longestExtendedPayload = 1650
    private static let mostFragmented = 64
    private static let mostReports: UInt8 = 64

    /// Events and reports that were cut short, inconsistent or truncated by the controller.
    package private(set) var damagedReports = 0
    private var fragments: [Sender: [UInt8]] = [:]

    private struct Sender: Hashable {
        let address: DeviceAddress
        let set: UInt8
    }

    package init() {}

    /// The advertising packets in an event, which begins with its event code; none in other events.
    package mutating func advertisements(in event: [UInt8], at time: Double) -> [Advertisement] {
        var cursor = ByteCursor(event)
        guard cursor.byte() == UInt8(EVT_LE_META_EVENT), let length = cursor.byte() else { return [] }
        var body = ByteCursor(cursor.rest.prefix(Int(length)))
        guard let kind = body.byte() else { return [] }
        let isExtended = kind == Self.extendedAdvertisingReport
        guard isExtended || kind == UInt8(EVT_LE_ADVERTISING_REPORT) else { return [] }
        guard let count = body.byte(), count > 0, count <= Self.mostReports else {
            damagedReports += 1
            return []
        }
        var heard: [Advertisement] = []
        for _ in 0..<count {
            guard let report = isExtended ? Report(extended: &body) : Report(legacy: &body) else {
                damagedReports += 1
                break
            }
            guard let payload = whole(report) else { continue }
            heard.append(
                Advertisement(time: time, address: report.sender.address, payload: payload, rssi: report.rssi)
            )
        }
        return heard
    }

    /// The payload of the report, with the fragments before it; `nil` while more is to come.
    private mutating func whole(_ report: Report) -> [UInt8]? {
        let earlier = fragments.removeValue(forKey: report.sender) ?? []
        let payload = earlier + report.payload
        guard payload.count <= Self.longestExtendedPayload else {
            damagedReports += 1
            return nil
        }
        switch report.status {
        case .complete: return payload
        case .moreToCome:
            // Senders whose last fragment never came must not pile up.
            if fragments.count >= Self.mostFragmented {
                damagedReports += fragments.count
                fragments = [:]
            }
            fragments[report.sender] = payload
            return nil
        case .truncated:
            damagedReports += 1
            return nil
        }
    }

    private struct Report {
        enum Status { case complete, moreToCome, truncated }

        let sender: Sender
        let payload: ArraySlice<UInt8>
        let rssi: Int
        let status: Status

        init?(legacy cursor: inout ByteCursor) {
            guard cursor.byte() != nil, let address = Self.address(&cursor), let length = cursor.byte(),
                let payload = cursor.take(Int(length)), let rssi = cursor.signedByte()
            else { return nil }
            sender = Sender(address: address, set: 0xFF)
            self.payload = payload
            self.rssi = rssi
            status = .complete
        }

        init?(extended cursor: inout ByteCursor) {
            guard let type = cursor.littleEndian(UInt16.self), let address = Self.address(&cursor),
                cursor.take(2) != nil, let set = cursor.byte(), cursor.byte() != nil,
                let rssi = cursor.signedByte(), cursor.take(9) != nil, let length = cursor.byte(),
                let payload = cursor.take(Int(length))
            else { return nil }
            sender = Sender(address: address, set: set)
            self.payload = payload
            self.rssi = rssi
            switch type >> 5 & 3 {
            case 0: status = .complete
            case 1: status = .moreToCome
            default: status = .truncated
            }
        }

        private static func address(_ cursor: inout ByteCursor) -> DeviceAddress? {
            guard let type = cursor.byte(), let bytes = cursor.take(6) else { return nil }
            let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return DeviceAddress(bits: bits, isRandom: type & 1 == 1)
        }
    }
}
