/// Reads a capture in any supported format.
struct CaptureReader {
    private enum Format {
        case btsnoop(BtsnoopReader)
        case pcap(PcapReader)
        case pcapng(PcapngReader)
    }

    private var format: Format

    /// `nil` when the beginning is not that of a capture.
    init?(_ recorded: RecordedBytes, beginning start: [UInt8]) throws(SensorError) {
        if start.starts(with: BtsnoopReader.magic) {
            format = .btsnoop(try BtsnoopReader(recorded))
        } else if start.starts(with: PcapngReader.magic) {
            format = .pcapng(try PcapngReader(recorded))
        } else if PcapReader.magics.contains(where: start.starts) {
            format = .pcap(try PcapReader(recorded))
        } else {
            return nil
        }
    }

    /// The next complete record; `nil` at the end.
    mutating func next() throws(SensorError) -> CaptureRecord? {
        switch format {
        case .btsnoop(var reader):
            defer { format = .btsnoop(reader) }
            return try reader.next()
        case .pcap(var reader):
            defer { format = .pcap(reader) }
            return try reader.next()
        case .pcapng(var reader):
            defer { format = .pcapng(reader) }
            return try reader.next()
        }
    }

    /// Records that were truncated when written.
    var cutRecords: Int {
        switch format {
        case .btsnoop(let reader): reader.cutRecords
        case .pcap(let reader): reader.cutRecords
        case .pcapng(let reader): reader.cutRecords
        }
    }

    /// What is missing at the end; `nil` when the capture is complete, or not yet read to its end.
    var truncation: SensorError? {
        switch format {
        case .btsnoop(let reader): reader.truncation
        case .pcap(let reader): reader.truncation
        case .pcapng(let reader): reader.truncation
        }
    }
}
