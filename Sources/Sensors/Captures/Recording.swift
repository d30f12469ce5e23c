package import Positioning

/// The readings of a recorded file, capture or trace; which it is, its content tells.
package struct Recording {
    private enum Content {
        case capture(CaptureReader)
        case trace(SensorTraceReader)
    }

    private var content: Content
    private var receiver: BeaconReceiver
    private var clock = CaptureClock()
    private var damagedRecords = 0
    private var ready: ArraySlice<SensorReading> = []

    /// The longest beginning by which a form is known.
    private static let beginning = 8

    /// - Parameter ephemerals: The beacons that change their identifiers.
    package init(_ origin: RecordingOrigin, ephemerals: EphemeralBeacons? = nil) throws(SensorError) {
        receiver = BeaconReceiver(ephemerals: ephemerals)
        var bytes = try RecordedBytes(origin)
        let start = Array(try bytes.peek(Self.beginning))
        if let reader = try CaptureReader(bytes, beginning: start) {
            content = .capture(reader)
        } else if start.first == UInt8(ascii: "{") {
            content = .trace(try SensorTraceReader(bytes))
        } else {
            let problem =
                start.isEmpty ? "is empty" : "is neither a capture (btsnoop, pcap, pcapng) nor a trace"
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
                take(record)
            }
            return ready.popFirst()
        }
    }

    private mutating func take(_ record: CaptureRecord) {
        let now = BeaconReceiver.Instant(
            time: clock.seconds(at: record.microseconds),
            wall: Double(record.microseconds) / 1_000_000
        )
        var readings: [SensorReading] = []
        switch record.content {
        case .event(let bytes): receiver.hear(event: bytes.span, at: now, into: &readings)
        case .sniffed(let packet): receiver.hear(sniffed: packet, at: now, into: &readings)
        case .damaged: damagedRecords += 1
        case .other: break
        }
        ready = readings[...]
    }

    /// What was passed over so far, in words.
    package var problems: [String] {
        var problems: [String] = []
        switch content {
        case .capture(let reader):
            if let truncation = reader.truncation { problems.append(truncation.description) }
            if reader.cutRecords > 0 { problems.append("\(reader.cutRecords) cut records were passed over") }
            let damaged = receiver.damagedReports + damagedRecords
            if damaged > 0 { problems.append("\(damaged) damaged advertising reports were passed over") }
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
