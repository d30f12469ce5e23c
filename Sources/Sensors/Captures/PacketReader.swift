/// Reads a capture that is a header followed by packets, each with a header of its own.
///
/// Packets that were truncated when written are skipped and counted. An incomplete last record ends the
/// capture and is reported in ``truncation``.
package struct PacketReader<Format: PacketFormat>: CaptureReader {
    package private(set) var cutRecords = 0
    package private(set) var truncation: SensorError?

    private var bytes: RecordedBytes
    private let format: Format

    package init(_ origin: RecordingOrigin) throws(SensorError) {
        try self.init(RecordedBytes(origin))
    }

    init(_ recorded: RecordedBytes) throws(SensorError) {
        bytes = recorded
        format = try Format(&bytes)
    }

    package mutating func next() throws(SensorError) -> CaptureRecord? {
        while truncation == nil {
            bytes.begin("record")
            var cursor = ByteCursor(try bytes.read(Format.recordHeaderSize), format.order)
            if cursor.rest.isEmpty { return nil }
            guard let header = format.header(&cursor) else {
                truncation = bytes.damage("the capture ends within the record's header")
                return nil
            }
            if let problem = Format.problem(of: header) { throw bytes.damage(problem) }
            let data = try bytes.read(Int(header.included))
            guard data.count == Int(header.included) else {
                truncation = bytes.damage(
                    "the capture ends after \(data.count) of the packet's \(header.included) bytes"
                )
                return nil
            }
            guard header.included >= header.original else {
                cutRecords += 1
                continue
            }
            let content = format.content(of: data, flags: header.flags)
            return CaptureRecord(microseconds: header.microseconds, content: content)
        }
        return nil
    }
}

/// A format of captures: what its headers say.
package protocol PacketFormat {
    /// Bytes of a record before its packet.
    static var recordHeaderSize: Int { get }

    var order: ByteCursor.Order { get }

    /// Reads the header of the capture.
    init(_ bytes: inout RecordedBytes) throws(SensorError)

    /// The header of a record; `nil` when it is incomplete.
    func header(_ cursor: inout ByteCursor) -> PacketHeader?

    /// Why a record with this header is not valid.
    static func problem(of header: PacketHeader) -> String?

    func content(of packet: ArraySlice<UInt8>, flags: UInt32) -> CaptureRecord.Content
}

/// The header of a packet in a capture.
package struct PacketHeader {
    /// Microseconds since 1970.
    let microseconds: Int64
    /// Bytes in the capture, and bytes that the packet had.
    let included: UInt32
    let original: UInt32
    /// 0 in formats without flags.
    var flags: UInt32 = 0
}
