import Foundation
import Logging
import Positioning
import Sensors
import TestSupport
import Testing

@Suite struct ReplayTests {
    private actor Listener {
        private(set) var readings: [SensorReading] = []
        private(set) var due: [Duration] = []

        func hear(_ reading: SensorReading, at time: Duration) -> Int {
            readings.append(reading)
            due.append(time)
            return readings.count
        }
    }

    private let logger = Logger(label: "test")

    private func trace(_ times: Double...) -> RecordingOrigin {
        let lines = times.map { #"{"t":\#($0),"type":"heading","degrees":1}"# }
        let text = ([#"{"trilateral_trace":1}"#] + lines).joined(separator: "\n")
        return .bytes(Array(text.utf8), name: "t")
    }

    /// The readings and their times, until the end or until `limit` readings.
    private func play(
        _ origin: RecordingOrigin,
        _ speed: ReplaySpeed = .times(1),
        isLooping: Bool = false,
        limit: Int = 1000,
        work: Duration = .zero
    ) async throws -> (readings: [SensorReading], due: [Duration]) {
        let clock = ManualClock()
        let listener = Listener()
        let replay = try Replay(origin, speed: speed, isLooping: isLooping, clock: clock, logger: logger)
        let task = Task {
            try await replay.source.run { batch in
                var count = 0
                for reading in batch { count = await listener.hear(reading, at: clock.now.offset) }
                clock.advance(by: work)
                if count >= limit { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        try await task.value
        return (await listener.readings, await listener.due)
    }

    private func heading(_ time: Double) -> SensorReading { .heading(degrees: 1, time: time) }

    @Test func `each reading is delivered at its time`() async throws {
        let told = try await play(trace(0.25, 0.5, 0.75))
        #expect(told.readings == [heading(0.25), heading(0.5), heading(0.75)])
        #expect(told.due == [.seconds(0.25), .seconds(0.5), .seconds(0.75)])
    }

    @Test func `double speed takes half the time and keeps the readings' times`() async throws {
        let told = try await play(trace(0.25, 0.75), .times(2))
        #expect(told.readings == [heading(0.25), heading(0.75)])
        #expect(told.due == [.seconds(0.125), .seconds(0.375)])
    }

    @Test func `slow work does not delay the rest`() async throws {
        let told = try await play(trace(0.1, 0.5, 0.9), work: .milliseconds(300))
        #expect(told.due == [.seconds(0.1), .seconds(0.5), .seconds(0.9)])
    }

    @Test func `maximum speed does not wait`() async throws {
        let told = try await play(trace(0.5, 1, 500), .maximum)
        #expect(told.due.allSatisfy { $0 == .zero })
        #expect(told.readings.last == heading(500))
    }

    @Test func `gaps are filled with a tick every second`() async throws {
        let told = try await play(trace(0.5, 3.5, 4))
        let ticks = [1.0, 2, 3].map { SensorReading.tick(time: $0) }
        #expect(told.readings == [heading(0.5)] + ticks + [heading(3.5), heading(4)])
        let long = try await play(trace(1e8), .maximum, limit: 10_000)
        #expect(long.readings.count == 3601)
    }

    @Test func `a loop continues the recording's time`() async throws {
        let told = try await play(trace(0.25, 0.5), isLooping: true, limit: 6)
        #expect(told.readings.map(\.time) == [0.25, 0.5, 1, 1.25, 1.75, 2])
        #expect(told.due == told.readings.map { .seconds($0.time) })
    }

    @Test func `a loop over a single instant is paced and one without readings ends`() async throws {
        let told = try await play(trace(0), isLooping: true, limit: 3)
        #expect(told.readings.map(\.time) == [0, 1, 2])
        #expect(try await play(trace(), isLooping: true).readings.isEmpty)
    }

    @Test func `a cancelled replay ends without an error`() async throws {
        #expect(try await play(trace(0.1, 0.2, 0.3), limit: 2).readings.count == 2)
    }

    @Test func `the kind of file is detected from its content`() async throws {
        var capture = BtsnoopFixture(datalink: 1002)
        capture.add([1, 2], flags: 0)
        capture.add([4] + BtsnoopFixture.event(minor: 7), flags: 1, after: 250_000)
        capture.add([4] + BtsnoopFixture.event(minor: 8, rssi: 127), flags: 1)
        try await withTemporaryFile { path in
            try Data(capture.bytes).write(to: URL(fileURLWithPath: path))
            let told = try await play(.file(path))
            let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 7)
            let sighting = BeaconSighting(identity: identity, rssi: -60, powerAtOneMetre: -59, time: 0.25)
            #expect(told.readings == [.beacon(sighting)])
        }
    }

    @Test func `a clock set during a capture causes no gap`() throws {
        var capture = BtsnoopFixture(datalink: 1001)
        for step: Int64 in [0, 1_000_000, -86_400_000_000, 500_000, 864_000_000_000, 250_000] {
            capture.add(BtsnoopFixture.event(minor: 1), flags: 3, after: step)
        }
        var recording = try Recording(.bytes(capture.bytes, name: "x"))
        var times: [Double] = []
        while let reading = try recording.next() { times.append(reading.time) }
        #expect(times == [0, 1, 1, 1.5, 1.5, 1.75])
    }

    @Test func `a file that cannot be replayed is refused at once`() {
        for (bytes, problem) in [
            ([], "is empty"),
            (Array("GIF89a".utf8), "is neither a capture (btsnoop, pcap, pcapng) nor a trace"),
        ] {
            let error = #expect(throws: SensorError.self) {
                _ = try Replay(.bytes(bytes, name: "x"), clock: ContinuousClock(), logger: logger)
            }
            #expect(error?.description == "x: \(problem)")
        }
        let missing = #expect(throws: SensorError.self) {
            _ = try Replay(.file("/nonexistent"), clock: ContinuousClock(), logger: logger)
        }
        #expect(missing?.description == "/nonexistent: cannot be read: No such file or directory")
    }

    @Test func `damage ends the replay after the readings before it`() async throws {
        let text = "{\"trilateral_trace\":1}\n{\"t\":0.5,\"type\":\"tick\"}\nx\n{\"t\":1,\"type\":\"tick\"}\n"
        let listener = Listener()
        let replay = try Replay(.bytes(Array(text.utf8), name: "t"), clock: ManualClock(), logger: logger)
        await #expect(throws: SensorError.self) {
            try await replay.run { batch in
                for reading in batch { _ = await listener.hear(reading, at: .zero) }
            }
        }
        #expect(await listener.readings == [.tick(time: 0.5)])
    }

    @Test(arguments: [("1", ReplaySpeed.times(1)), ("0.5", .times(0.5)), ("max", .maximum)])
    func `a speed is a number or max`(_ text: String, _ speed: ReplaySpeed) {
        #expect(ReplaySpeed(text) == speed)
    }

    @Test(arguments: ["", "0", "-1", "1001", "0.001", "nan", "inf", "fast"])
    func `any other text is no speed`(
        _ text: String
    ) {
        #expect(ReplaySpeed(text) == nil)
    }
}
