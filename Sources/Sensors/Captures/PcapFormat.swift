/// The pcap format of captures (tcpdump).
/// - Source: the Internet draft draft-ietf-opsawg-pcap.
struct PcapFormat: PacketFormat {
    /// The first four bytes, in either byte order, for times in micro- and nanoseconds.
    static let magics: [[UInt8]] = [
        [0xA1, 0xB2, 0xC3, 0xD4], [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
        [0x4D, 0x3C, 0xB2, 0xA1],
    ]

    let order: ByteCursor.Order
    private let link: CaptureLink
    /// Units of the fractional time in a microsecond.
    private let fraction: UInt32

    private static let headerSize = 24
    static let recordHeaderSize = 16
    /// The limit of tcpdump.
    private static let largestPacket = 262_144

    init(_ bytes: inout RecordedBytes) throws(SensorError) {
        let start = try bytes.read(Self.headerSize)
        guard start.count == Self.headerSize else {
            throw bytes.unsupported("ends within the pcap header of \(Self.headerSize) bytes")
        }
        order = start.first == 0xA1 ? .big : .little
        var header = ByteCursor(start, order)
        fraction = (header.number(UInt32.self) ?? 0) & 0xFFFF == 0xC3D4 ? 1 : 1000
        let version = header.number(UInt16.self) ?? 0
        guard version == 2 else {
            throw bytes.unsupported("is pcap version \(version); only version 2 is supported")
        }
        _ = header.read(14)
        // The upper bits describe a frame check sequence, which Bluetooth links do not have.
        let type = (header.number(UInt32.self) ?? 0) & 0x0FFF_FFFF
        guard let link = CaptureLink(rawValue: type) else {
            throw bytes.unsupported(
                "has link type \(type); supported for Bluetooth are \(CaptureLink.legal)"
            )
        }
        self.link = link
    }

    func header(_ cursor: inout ByteCursor) -> PacketHeader? {
        guard let seconds = cursor.number(UInt32.self), let parts = cursor.number(UInt32.self),
            let included = cursor.number(UInt32.self), let original = cursor.number(UInt32.self)
        else { return nil }
        return PacketHeader(
            microseconds: Int64(seconds) * 1_000_000 + Int64(parts / fraction),
            included: included,
            original: original
        )
    }

    static func problem(of header: PacketHeader) -> String? {
        header.included <= largestPacket ? nil : "invalid packet length of \(header.included) bytes"
    }

    func content(of packet: ArraySlice<UInt8>, flags: UInt32) -> CaptureRecord.Content {
        link.content(of: packet)
    }
}
