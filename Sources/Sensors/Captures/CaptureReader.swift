/// Reads a capture, record by record.
protocol CaptureReader {
    /// The next complete record; `nil` at the end.
    mutating func next() throws(SensorError) -> CaptureRecord?

    /// Records that were truncated when written.
    var cutRecords: Int { get }

    /// What is missing at the end; `nil` when the capture is complete, or not yet read to its end.
    var truncation: SensorError? { get }
}

extension RecordedBytes {
    /// A reader for their format; `nil` when their beginning is not that of a capture.
    func captureReader(beginning start: [UInt8]) throws(SensorError) -> (any CaptureReader)? {
        if start.starts(with: BtsnoopFormat.magic) { return try PacketReader<BtsnoopFormat>(self) }
        if start.starts(with: PcapngReader.magic) { return try PcapngReader(self) }
        if PcapFormat.magics.contains(where: start.starts) { return try PacketReader<PcapFormat>(self) }
        return nil
    }
}
