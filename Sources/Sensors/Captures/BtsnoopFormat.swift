import CBluetooth

/// The btsnoop format of captures.
///
/// Without packet type (datalink 1001), with packet type (1002, Android) and of the Linux monitor (2001,
/// btmon).
/// - Source: contrib/contract/positioning.md, "2.1 Captures"; RFC 1761 for the form.
package struct BtsnoopFormat: PacketFormat {
    package static let magic: [UInt8] = Array("btsnoop".utf8) + [0]

    private enum Datalink: UInt32 {
        case plain = 1001
        case packetType = 1002
        case monitor = 2001
    }

    package let order = ByteCursor.Order.big
    private let datalink: Datalink

    /// Larger than any HCI packet.
    private static let largestRecord = 128 * 1024
    private static let headerSize = 16
    package static let recordHeaderSize = 24
    /// From the year 0 to 1970, microseconds.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    package init(_ bytes: inout RecordedBytes) throws(SensorError) {
        var header = ByteCursor(try bytes.read(Self.headerSize), order)
        guard header.read(Self.magic.count).map(Array.init) == Self.magic else {
            throw bytes.unsupported("is not a btsnoop capture: it does not begin with \"btsnoop\"")
        }
        guard let version = header.number(UInt32.self), let link = header.number(UInt32.self) else {
            throw bytes.unsupported("ends within the btsnoop header of \(Self.headerSize) bytes")
        }
        guard version == 1 else {
            throw bytes.unsupported("is btsnoop version \(version); only version 1 is supported")
        }
        guard let known = Datalink(rawValue: link) else {
            throw bytes.unsupported("has btsnoop datalink \(link); supported are 1001, 1002 and 2001")
        }
        datalink = known
    }

    package func header(_ cursor: inout ByteCursor) -> PacketHeader? {
        guard let original = cursor.number(UInt32.self), let included = cursor.number(UInt32.self),
            let flags = cursor.number(UInt32.self), cursor.read(4) != nil,
            let time = cursor.number(UInt64.self)
        else { return nil }
        return PacketHeader(
            microseconds: Int64(bitPattern: time) &- Self.epoch,
            included: included,
            original: original,
            flags: flags
        )
    }

    package static func problem(of header: PacketHeader) -> String? {
        header.included <= header.original && header.included <= largestRecord
            ? nil : "invalid packet length: \(header.included) bytes included of \(header.original)"
    }

    package func content(of packet: ArraySlice<UInt8>, flags: UInt32) -> CaptureRecord.Content {
        switch datalink {
        case .plain: flags & 3 == 3 ? .event(Array(packet)) : .other
        case .packetType: packet.first == UInt8(HCI_EVENT_PKT) ? .event(Array(packet.dropFirst())) : .other
        case .monitor: flags & 0xFFFF == 3 ? .event(Array(packet)) : .other
        }
    }
}
