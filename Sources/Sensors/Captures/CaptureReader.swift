/// Reads a capture, whatever its form.
struct CaptureReader {
    private enum Form {
        case btsnoop(BtsnoopReader)
        case pcap(PcapReader)
        case pcapng(PcapngReader)
    }

    private var form: Form

    /// `nil` when the beginning is not that of a capture.
    init?(_ recorded: RecordedBytes, beginning start: [UInt8]) throws(SensorError) {
        if start.starts(with: BtsnoopReader.magic) {
            form = .btsnoop(try BtsnoopReader(recorded))
        } else if start.starts(with: PcapngReader.magic) {
            form = .pcapng(try PcapngReader(recorded))
        } else if PcapReader.magics.contains(where: start.starts) {
            form = .pcap(try PcapReader(recorded))
        } else {
            return nil
        }
    }

    /// The next whole record; `nil` at the end.
    mutating func next() throws(SensorError) -> CaptureRecord? {
        switch form {
        case .btsnoop(var reader):
            defer { form = .btsnoop(reader) }
            return try reader.next()
        case .pcap(var reader):
            defer { form = .pcap(reader) }
            return try reader.next()
        case .pcapng(var reader):
            defer { form = .pcapng(reader) }
            return try reader.next()
        }
    }

    /// Records that were cut short when they were written.
    var cutRecords: Int {
        switch form {
        case .btsnoop(let reader): reader.cutRecords
        case .pcap(let reader): reader.cutRecords
        case .pcapng(let reader): reader.cutRecords
        }
    }

    /// What is missing at the end; `nil` when the capture is whole, or not yet read to its end.
    var truncation: SensorError? {
        switch form {
        case .btsnoop(let reader): reader.truncation
        case .pcap(let reader): reader.truncation
        case .pcapng(let reader): reader.truncation
        }
    }
}
