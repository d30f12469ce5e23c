import JSON

/// Reads a trace written by ``SensorTraceWriter``.
///
/// An invalid last line without line feed, left by a writer that was killed, ends the trace and is reported
/// in ``truncation``.
package struct SensorTraceReader {
    /// What is missing at the end; `nil` when the trace is complete, or not yet read to its end.
    package private(set) var truncation: SensorError?

    private var bytes: RecordedBytes
    private var number = 0

    private static let longestLine = 4096

    package init(_ origin: RecordingOrigin) throws(SensorError) {
        try self.init(RecordedBytes(origin))
    }

    init(_ recorded: RecordedBytes) throws(SensorError) {
        bytes = recorded
        guard let header = try line(), let members = header.value.object,
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
            return try SensorReading(json: line.value)
        } catch {
            throw damage(at: line.offset, error.text)
        }
    }

    /// The next line that is not empty.
    private mutating func line() throws(SensorError) -> (value: JSONValue, offset: Int)? {
        while true {
            let start = bytes.offset
            guard let line = try bytes.line(limit: Self.longestLine) else { return nil }
            number += 1
            guard line.bytes.count <= Self.longestLine else {
                throw damage(at: start, "a line may have at most \(Self.longestLine) bytes")
            }
            if line.isWhole, line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { continue }
            do {
                return (try JSONValue(parsing: line.bytes, maximumDepth: 4), start)
            } catch {
                let problem = damage(at: start, "is not JSON: \(error)")
                if line.isWhole || number == 1 { throw problem }
                truncation = problem
                return nil
            }
        }
    }

    private func damage(at offset: Int, _ problem: String) -> SensorError {
        .damaged(file: bytes.name, unit: "line", number: number, offset: offset, problem: problem)
    }
}
