import Positioning

/// The readings of a recorded file, capture or trace; which it is, its content tells.
package struct Recording {
    private enum Content {
        case capture(BtsnoopReader)
        case trace(SensorTraceReader)
    }

    private var content: Content
    private var parser = AdvertisingReportParser()
    private var clock = CaptureClock()
    private var ready: ArraySlice<SensorReading> = []

    package init(_ origin: RecordingOrigin) throws(SensorError) {
        var bytes = try RecordedBytes(origin)
        let start = Array(try bytes.peek(BtsnoopReader.magic.count))
        if start == BtsnoopReader.magic {
            content = .capture(try BtsnoopReader(bytes))
        } else if start.first == UInt8(ascii: "{") {
            content = .trace(try SensorTraceReader(bytes))
        } else {
            let problem = start.isEmpty ? "is empty" : "is neither a btsnoop capture nor a trace"
            throw .unsupported(file: origin.name, problem: problem)
        }
    }

    /// The next reading, with its time from the start of the recording; `nil` at the end.
    package mutating func next() throws(SensorError) -> SensorReading? {
        switch content {
        case .trace(var reader):
            defer { content = .trace(reader) }
            return try reader.next()
        case .capture(var reader):
            defer { content = .capture(reader) }
            while ready.isEmpty {
                guard let record = try reader.next() else { return nil }
                let time = clock.seconds(at: record.microseconds)
                guard let event = record.event else { continue }
                ready =
                    parser.advertisements(in: event, at: time).flatMap(\.sightings)
                    .map(SensorReading.beacon)[...]
            }
            return ready.popFirst()
        }
    }

    /// What was passed over so far, in words.
    package var problems: [String] {
        var problems: [String] = []
        switch content {
        case .capture(let reader):
            if let truncation = reader.truncation { problems.append(truncation.description) }
            if reader.cutRecords > 0 { problems.append("\(reader.cutRecords) cut records were passed over") }
            if parser.damagedReports > 0 {
                problems.append("\(parser.damagedReports) damaged advertising reports were passed over")
            }
        case .trace(let reader):
            if let truncation = reader.truncation { problems.append(truncation.description) }
        }
        return problems
    }
}

/// Makes steady seconds from the times of a capture, whose clock may have been set while it ran.
private struct CaptureClock {
    private var previous: Int64?
    private var elapsed: Int64 = 0

    /// A longer step is taken for a clock that was set, and so is one back.
    private static let longestStep: Int64 = 3_600_000_000

    mutating func seconds(at microseconds: Int64) -> Double {
        if let previous {
            let (step, overflow) = microseconds.subtractingReportingOverflow(previous)
            if !overflow, step > 0, step <= Self.longestStep { elapsed += step }
        }
        previous = microseconds
        return Double(elapsed) / 1_000_000
    }
}
