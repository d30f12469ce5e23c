import Logging
import Positioning
import SeededRandom
import Sensors
import SystemPackage
import Testing

/// The scanner's thread, sockets and streams; its decisions are tested in ``ScanSessionTests``.
@Suite(.timeLimit(.minutes(1))) struct BeaconScannerTests {
    private actor Ear {
        private(set) var readings: [SensorReading] = []
        func hear(_ batch: [SensorReading]) { readings += batch }
        var minors: [UInt16] {
            readings.compactMap {
                if case .beacon(let sighting) = $0 { sighting.identity.minor } else { nil }
            }
        }
    }

    private let adapter = FakeAdapter()
    private let ear = Ear()
    private let power: ScanSwitch

    init() throws { power = try ScanSwitch() }

    private func scanner(host: HCIHost? = nil) -> BeaconScanner {
        BeaconScanner(
            settings: ScanSettings(),
            power: power,
            host: host ?? adapter.host,
            clocks: .init(
                steady: { [adapter] in adapter.time },
                wall: { 1_700_000_000 }
            ),
            logger: Logger(label: "test")
        ) { [adapter] condition in
            adapter.change { $0.conditions.append(condition) }
        }
    }

    /// Runs the controller until a condition holds.
    private func work(until isSo: () async -> Bool) async throws {
        while !(await isSo()) {
            _ = adapter.work()
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func packets(_ minors: Range<Int>) -> [[UInt8]] {
        minors.map { [4] + BtsnoopFixture.event(minor: UInt16($0)) }
    }

    /// Runs the scanner during the body, then cancels it.
    private func whileScanning(_ scanner: BeaconScanner, _ body: () async throws -> Void) async throws {
        let task = Task { try await scanner.source.run { await ear.hear($0) } }
        do {
            try await work { adapter.read { $0.isScanning } }
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        // The task ends after the controller's answer.
        let ended = Task { [adapter] in
            while !Task.isCancelled {
                _ = adapter.work()
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        try await task.value
        ended.cancel()
    }

    @Test func `sightings arrive complete and in order and the adapter is restored`() async throws {
        let scanner = scanner()
        try await whileScanning(scanner) {
            var next = 0
            while next < 5000 {
                next += adapter.send(packets(next..<min(next + 50, 5000)))
                _ = adapter.work()
                try await Task.sleep(for: .milliseconds(1))
            }
            try await work { await ear.minors.count == 5000 }
        }
        #expect(await ear.minors == (0..<5000).map { UInt16($0) })
        let counters = scanner.counters
        #expect(counters.packets == 5000 && counters.beacons == 5000)
        #expect(counters.dropped == 0 && counters.damaged == 0)
        #expect(adapter.read { $0.commands } == [0x2041, 0x2042, 0x2042])
        #expect(adapter.read { !$0.isScanning && $0.isUp })
        #expect(adapter.read { $0.conditions.map(\.state) } == [.starting, .scanning, .off])
        #expect(!adapter.work(), "the socket is closed")
    }

    @Test func `ticks follow the last beacon every second`() async throws {
        try await whileScanning(scanner()) {
            adapter.send(packets(0..<1))
            try await work { await ear.readings.count >= 3 }
        }
        let readings = await ear.readings
        guard case .beacon = readings[0], case .tick = readings[1], case .tick = readings[2] else {
            Issue.record("\(readings)")
            return
        }
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $1.time - $0.time >= 1 })
    }

    @Test func `malformed packets are ignored`() async throws {
        let scanner = scanner()
        try await whileScanning(scanner) {
            var fuzz = Fuzz(seed: 15, corpus: packets(0..<4))
            for _ in 0..<300 {
                adapter.send([fuzz.next()].filter { !$0.isEmpty })
                _ = adapter.work()
                try await Task.sleep(for: .microseconds(100))
            }
            adapter.send(packets(9..<10))
            try await work { await ear.minors.last == 9 }
        }
        #expect(scanner.counters.damaged > 0)
    }

    @Test func `an adapter that is unplugged and plugged in again is used again`() async throws {
        try await whileScanning(scanner()) {
            adapter.pull()
            try await work { adapter.read { $0.conditions.last?.problem?.contains("no adapter") == true } }
            adapter.putBack()
            try await work { adapter.read { $0.isScanning && $0.conditions.last?.state == .scanning } }
            #expect(adapter.read { $0.conditions.last?.problem == nil })
            adapter.send(packets(7..<8))
            try await work { await ear.minors == [7] }
        }
        // It is down after it is plugged in.
        #expect(adapter.read { !$0.isUp })
    }

    @Test func `the switch stops and restarts scanning`() async throws {
        try await whileScanning(scanner()) {
            power.set(on: false)
            try await work { adapter.read { $0.conditions.last?.state == .off && !$0.isScanning } }
            power.set(on: true)
            try await work { adapter.read { $0.isScanning } }
        }
    }

    @Test func `a source can be run again`() async throws {
        let scanner = scanner()
        for minor in 1...2 {
            try await whileScanning(scanner) {
                adapter.send(packets(minor..<minor + 1))
                try await work { await ear.minors.count == minor }
            }
        }
    }

    @Test func `this machine's adapters can be listed`() {
        switch HCIHost.kernel.list() {
        case .success(let adapters): #expect(Set(adapters.map(\.index)).count == adapters.count)
        case .failure(let fault): #expect(fault.rawValue > 0)
        }
        let fault = HCIHost.kernel.bringUp(90)
        #expect(fault != nil)
    }
}
