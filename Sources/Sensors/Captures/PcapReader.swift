import Positioning

/// Reads a pcap capture (tcpdump), record by record.
///
/// Records that were truncated when written are skipped and counted. An incomplete last record ends the
/// capture and is reported in ``truncation``.
/// - Source: the Internet draft draft-ietf-opsawg-pcap.
struct PcapReader: CaptureReader {
    /// The first four bytes, in either byte order, for times in micro- and nanoseconds.
    static let magics: [[UInt8]] = [
        [0xA1, 0xB2, 0xC3, 0xD4], [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
        [0x4D, 0x3C, 0xB2, 0xA1],
    ]

    private(set) var cutRecords = 0
    private(set) var truncation: SensorError?

    private var bytes: RecordedBytes
    private let order: ByteOrder
    private let link: CaptureLink
    /// Units of the fractional time in a microsecond.
    private let fraction: UInt32
    private var number = 0

    private static let headerSize = 24
    private static let recordHeaderSize = 16
    /// The limit of tcpdump.
    static let largestPacket = 262_144

    init(_ recorded: RecordedBytes) throws(SensorError) {
        bytes = recorded
        let start = try bytes.read(Self.headerSize)
        guard start.count == Self.headerSize else {
            throw bytes.unsupported("ends within the pcap header of \(Self.headerSize) bytes")
        }
        order = start.first == 0xA1 ? .big : .little
        var header = OrderedCursor(start, order)
        fraction = (header.number32() ?? 0) & 0xFFFF == 0xC3D4 ? 1 : 1000
        let version = header.number16() ?? 0
        guard version == 2 else {
            throw bytes.unsupported("is pcap version \(version); only version 2 is supported")
        }
        _ = header.read(14)
        // The upper bits describe a frame check sequence, which Bluetooth links do not have.
        let type = (header.number32() ?? 0) & 0x0FFF_FFFF
        guard let link = CaptureLink(rawValue: type) else {
            throw bytes.unsupported(
                "has link type \(type); supported for Bluetooth are \(CaptureLink.legal)"
            )
        }
        self.link = link
    }

    mutating func next() throws(SensorError) -> CaptureRecord? {
        while truncation == nil {
            let start = bytes.offset
            var header = OrderedCursor(try bytes.read(Self.recordHeaderSize), order)
            if header.isEmpty { return nil }
            number += 1
            guard let seconds = header.number32(), let parts = header.number32(),
                let included = header.number32(), let original = header.number32()
            else {
                truncation = damage(at: start, "the capture ends within the record's header")
                return nil
            }
            guard included <= Self.largestPacket else {
                throw damage(at: start, "invalid packet length of \(included) bytes")
            }
            let data = try bytes.read(Int(included))
            guard data.count == Int(included) else {
                truncation = damage(
                    at: start,
                    "the capture ends after \(data.count) of the packet's \(included) bytes"
                )
                return nil
            }
            guard included >= original else {
                cutRecords += 1
                continue
            }
            return CaptureRecord(
                number: number,
                microseconds: Int64(seconds) * 1_000_000 + Int64(parts / fraction),
                content: link.content(of: data)
            )
        }
        return nil
    }

    private func damage(at offset: Int, _ problem: String) -> SensorError {
        .damaged(file: bytes.name, unit: "record", number: number, offset: offset, problem: problem)
    }
}

/// The byte order of a file.
enum ByteOrder { case big, little }

/// Reads numbers in the byte order of the machine that wrote them.
struct OrderedCursor {
    private var cursor: ByteCursor
    private let order: ByteOrder

    init(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) {
        cursor = ByteCursor(bytes)
        self.order = order
    }

    var isEmpty: Bool { cursor.rest.isEmpty }

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? { cursor.read(count) }
    mutating func byte() -> UInt8? { cursor.byte() }

    mutating func number16() -> UInt16? {
        order == .big ? cursor.bigEndian(UInt16.self) : cursor.littleEndian(UInt16.self)
    }

    mutating func number32() -> UInt32? {
        order == .big ? cursor.bigEndian(UInt32.self) : cursor.littleEndian(UInt32.self)
    }
}
