import JSON

/// Reads a trace written by ``SensorTraceWriter``.
///
/// An invalid last line without line feed, left by a writer that was killed, ends the trace and is reported
/// in ``truncation``.
package struct SensorTraceReader {
    /// What is missing at the end; `nil` when the trace is complete, or not yet read to its end.
    package private(set) var truncation: SensorError?

    private var bytes: RecordedBytes

    private static let longestLine = 4096

    package init(_ origin: RecordingOrigin) throws(SensorError) {
        try self.init(RecordedBytes(origin))
    }

    init(_ recorded: RecordedBytes) throws(SensorError) {
        bytes = recorded
        guard let members = try line()?.object,
            let version = members[SensorTraceWriter.versionKey]
        else {
            throw bytes.unsupported(
                "is not a trace: its first line has no \"\(SensorTraceWriter.versionKey)\""
            )
        }
        guard version.integer == SensorTraceWriter.version else {
            throw bytes.unsupported(
                "is a trace of version \(version.excerpt); only version "
                    + "\(SensorTraceWriter.version) is supported"
            )
        }
    }

    /// The next reading; `nil` at the end.
    package mutating func next() throws(SensorError) -> SensorReading? {
        guard truncation == nil, let line = try line() else { return nil }
        do {
            return try SensorReading(json: line)
        } catch {
            throw bytes.damage(error.description)
        }
    }

    /// The next line that is not empty.
    private mutating func line() throws(SensorError) -> JSONValue? {
        while true {
            bytes.begin("line")
            guard let line = try bytes.line(limit: Self.longestLine) else { return nil }
            guard line.bytes.count <= Self.longestLine else {
                throw bytes.damage("a line may have at most \(Self.longestLine) bytes")
            }
            if line.isWhole, line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { continue }
            do {
                return try JSONValue(parsing: line.bytes, maximumDepth: 4)
            } catch {
                let problem = bytes.damage("is not JSON: \(error)")
                if line.isWhole || bytes.part.number == 1 { throw problem }
                truncation = problem
                return nil
            }
        }
    }
}
