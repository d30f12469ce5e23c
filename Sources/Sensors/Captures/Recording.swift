package import Positioning
import Threading

/// The readings of a recorded file: a capture or a trace, detected from its content.
package struct Recording {
    private enum Content {
        case capture(any CaptureReader)
        case trace(SensorTraceReader)
    }

    private var content: Content
    private var receiver: BeaconReceiver
    private var clock = CaptureClock()
    private var damagedRecords = 0
    private var ready: ArraySlice<SensorReading> = []
    /// The packets of the last record; `nil` if nobody wants them.
    private let packets: Locked<[AdvertisingPacket]>?

    /// Length of the longest signature of a format.
    private static let beginning = 8

    /// - Parameters:
    ///   - ephemerals: Beacons with rotating identifiers.
    ///   - collectsPackets: Whether ``removePackets()`` gives the packets of a capture, also of what is no beacon.
    package init(
        _ origin: RecordingOrigin,
        ephemerals: EphemeralBeacons? = nil,
        collectsPackets: Bool = false
    ) throws(SensorError) {
        let feed = PacketFeed()
        if collectsPackets {
            let packets = Locked<[AdvertisingPacket]>([])
            self.packets = packets
            _ = feed.add { payload, sender, rssi in
                var bytes: [UInt8] = []
                for index in payload.indices { bytes.append(payload[index]) }
                let packet = AdvertisingPacket(sender: sender, rssi: rssi, payload: bytes)
                packets.withLock { $0.append(packet) }
            }
        } else {
            packets = nil
        }
        receiver = BeaconReceiver(ephemerals: ephemerals, feed: collectsPackets ? feed : nil)
        var bytes = try RecordedBytes(origin)
        let start = Array(try bytes.peek(Self.beginning))
        if let reader = try bytes.captureReader(beginning: start) {
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
                decode(record)
            }
            return ready.popFirst()
        }
    }

    /// The packets that belong to the readings since the last call.
    package mutating func removePackets() -> [AdvertisingPacket] {
        packets?.withLock { packets in
            defer { packets = [] }
            return packets
        } ?? []
    }

    private mutating func decode(_ record: CaptureRecord) {
        let now = BeaconReceiver.Instant(
            time: clock.seconds(at: record.microseconds),
            wall: Double(record.microseconds) / 1_000_000
        )
        var readings: [SensorReading] = []
        switch record.content {
        case .event(let bytes): receiver.receive(event: bytes.span, at: now, into: &readings)
        case .sniffed(let packet): receiver.receive(sniffed: packet, at: now, into: &readings)
        case .damaged: damagedRecords += 1
        case .other: break
        }
        // A packet of what is no beacon has a time as well.
        if readings.isEmpty, packets?.withLock({ !$0.isEmpty }) == true { readings = [.tick(time: now.time)] }
        ready = readings[...]
    }

    /// What was skipped so far, one sentence each.
    package var problems: [String] {
        switch content {
        case .capture(let reader):
            var problems = [reader.truncation?.description].compactMap(\.self)
            if reader.cutRecords > 0 { problems.append("skipped \(reader.cutRecords) truncated records") }
            let damaged = receiver.damagedReports + damagedRecords
            if damaged > 0 { problems.append("skipped \(damaged) damaged advertising reports") }
            return problems
        case .trace(let reader): return [reader.truncation?.description].compactMap(\.self)
        }
    }
}

/// Converts the times of a capture to steady seconds; the clock may have been set while it was recorded.
private struct CaptureClock {
    private var previous: Int64?
    private var elapsed: Int64 = 0

    /// A longer step, or one back, means that the clock was set.
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
