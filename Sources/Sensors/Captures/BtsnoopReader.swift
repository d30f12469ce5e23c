import CBluetooth
import Positioning

/// Reads a btsnoop capture, record by record.
///
/// Reads captures without packet type (datalink 1001), with packet type (1002, Android) and of the Linux
/// monitor (2001, btmon). Records that were truncated when written are skipped and counted. An incomplete
/// last record ends the capture and is reported in ``truncation``.
/// - Source: contrib/contract/positioning.md, "2.1 Captures"; RFC 1761 for the form.
package struct BtsnoopReader: CaptureReader {
    package static let magic: [UInt8] = Array("btsnoop".utf8) + [0]

    private enum Datalink: UInt32 {
        case plain = 1001
        case packetType = 1002
        case monitor = 2001
    }

    package private(set) var cutRecords = 0
    package private(set) var truncation: SensorError?

    private var bytes: RecordedBytes
    private let datalink: Datalink
    private var number = 0

    /// Larger than any HCI packet.
    private static let largestRecord = 128 * 1024
    private static let headerSize = 16
    private static let recordHeaderSize = 24
    /// From the year 0 to 1970.
    private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    package init(_ origin: RecordingOrigin) throws(SensorError) {
        try self.init(RecordedBytes(origin))
    }

    init(_ recorded: RecordedBytes) throws(SensorError) {
        bytes = recorded
        var header = ByteCursor(try bytes.read(Self.headerSize))
        guard header.read(Self.magic.count).map(Array.init) == Self.magic else {
            throw bytes.unsupported("is not a btsnoop capture: it does not begin with \"btsnoop\"")
        }
        guard let version = header.bigEndian(UInt32.self), let link = header.bigEndian(UInt32.self) else {
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

    package mutating func next() throws(SensorError) -> CaptureRecord? {
        while truncation == nil {
            let start = bytes.offset
            var header = ByteCursor(try bytes.read(Self.recordHeaderSize))
            if header.rest.isEmpty { return nil }
            number += 1
            guard let original = header.bigEndian(UInt32.self), let included = header.bigEndian(UInt32.self),
                let flags = header.bigEndian(UInt32.self), header.bigEndian(UInt32.self) != nil,
                let time = header.bigEndian(UInt64.self)
            else {
                truncation = damage(at: start, "the capture ends within the record's header")
                return nil
            }
            guard included <= original, included <= Self.largestRecord else {
                throw damage(at: start, "invalid packet length: \(included) bytes included of \(original)")
            }
            let data = try bytes.read(Int(included))
            guard data.count == Int(included) else {
                truncation = damage(
                    at: start,
                    "the capture ends after \(data.count) of the packet's \(included) bytes"
                )
                return nil
            }
            guard included == original else {
                cutRecords += 1
                continue
            }
            return CaptureRecord(
                number: number,
                microseconds: Int64(bitPattern: time) &- Self.epoch,
                content: event(in: data, flags: flags).map { .event($0) } ?? .other
            )
        }
        return nil
    }

    private func event(in data: ArraySlice<UInt8>, flags: UInt32) -> [UInt8]? {
        switch datalink {
        case .plain: flags & 3 == 3 ? Array(data) : nil
        case .packetType: data.first == UInt8(HCI_EVENT_PKT) ? Array(data.dropFirst()) : nil
        case .monitor: flags & 0xFFFF == 3 ? Array(data) : nil
        }
    }

    private func damage(at offset: Int, _ problem: String) -> SensorError {
        .damaged(file: bytes.name, unit: "record", number: number, offset: offset, problem: problem)
    }
}
