import CBluetooth

/// The encapsulation of a capture's packets; the raw value is the pcap link type.
/// - Source: the list of link types of tcpdump.org; contrib/contract/positioning.md, "2.1 Captures".
enum CaptureLink: UInt32, Sendable, CaseIterable {
    /// An HCI packet after its type.
    case typed = 187
    /// The same after four bytes for the direction.
    case directed = 201
    case air = 251
    /// Linux monitor: adapter and opcode.
    case monitor = 254
    /// After radio metadata: channel, power, flags.
    case radio = 256
    /// Nordic's sniffer.
    case nordic = 272

    static var legal: String { allCases.map { "\($0.rawValue)" }.joined(separator: ", ") }

    private static let eventType = UInt8(HCI_EVENT_PKT)
    private static let monitorEvent: UInt16 = 3
    /// Value for a received power that was not measured.
    private static let unknownPower = 127

    func content(of packet: ArraySlice<UInt8>) -> CaptureRecord.Content {
        var cursor = ByteCursor(packet, self == .monitor ? .big : .little)
        switch self {
        case .typed: return Self.typed(&cursor)
        case .directed:
            guard cursor.read(4) != nil else { return .damaged }
            return Self.typed(&cursor)
        case .monitor:
            guard cursor.read(2) != nil, let opcode = cursor.number(UInt16.self) else { return .damaged }
            return opcode == Self.monitorEvent ? .event(Array(cursor.rest)) : .other
        case .air: return .sniffed(SniffedPacket(bytes: Array(packet), rssi: Self.unknownPower))
        case .radio: return Self.radio(&cursor)
        case .nordic: return Self.nordic(packet)
        }
    }

    private static func typed(_ cursor: inout ByteCursor) -> CaptureRecord.Content {
        guard let type = cursor.byte() else { return .damaged }
        return type == eventType ? .event(Array(cursor.rest)) : .other
    }

    private enum RadioFlag {
        static let isPowerValid: UInt16 = 0x0002
        static let wasChecked: UInt16 = 0x0400
        static let isCheckValid: UInt16 = 0x0800
        static let coded: UInt16 = 2
    }

    private static func radio(_ cursor: inout ByteCursor) -> CaptureRecord.Content {
        guard cursor.read(1) != nil, let power = cursor.byte(), cursor.read(6) != nil,
            let flags = cursor.number(UInt16.self)
        else { return .damaged }
        if flags & RadioFlag.wasChecked != 0, flags & RadioFlag.isCheckValid == 0 { return .damaged }
        return .sniffed(
            SniffedPacket(
                bytes: Array(cursor.rest),
                rssi: flags & RadioFlag.isPowerValid != 0 ? Int(Int8(bitPattern: power)) : unknownPower,
                isCoded: flags >> 14 == RadioFlag.coded
            )
        )
    }

    /// All versions of the protocol have the same length and order up to the packet itself.
    /// - Source: nRF Sniffer for Bluetooth LE, UART protocol.
    private static func nordic(_ packet: ArraySlice<UInt8>) -> CaptureRecord.Content {
        let (header, advertising, data) = (17, UInt8(2), UInt8(6))
        guard packet.count >= header else { return .damaged }
        let bytes = Array(packet)
        let (kind, flags, strength) = (bytes[6], bytes[8], bytes[10])
        guard kind == advertising || kind == data else { return .other }
        guard flags & 1 == 1 else { return .damaged }
        return .sniffed(
            SniffedPacket(
                bytes: Array(bytes[header...]),
                rssi: -Int(strength),
                isCoded: bytes[3] >= 3 && flags >> 4 & 7 == 2
            )
        )
    }
}
