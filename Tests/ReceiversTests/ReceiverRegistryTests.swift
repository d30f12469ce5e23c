import Positioning
import Receivers
import SeededRandom
import Testing

@Suite struct ReceiverRegistryTests {
    private var registry = ReceiverRegistry()

    private mutating func report(_ name: String, _ number: UInt64, at now: Double) -> ReceiverRegistry.Verdict
    {
        registry.record(reportBy: name, fingerprint: number, at: now).verdict
    }

    @Test
    mutating func
        `a receiver that says nothing for a minute is an alert that names it, until it is heard again`()
    {
        _ = registry.expect(["kitchen", "hall"], at: 0)
        let (verdict, changes) = registry.record(reportBy: "kitchen", fingerprint: 1, at: 1)
        #expect(verdict == .accepted && changes == [.appeared("kitchen")])
        #expect(registry.advance(to: 59) == [] && registry.silenceAlert == nil)
        // The hall was never heard.
        #expect(registry.advance(to: 60) == [.silent("hall")])
        #expect(registry.silenceAlert?.contains("receiver hall has been silent") == true)
        #expect(registry.advance(to: 61) == [.silent("kitchen")])
        #expect(
            registry.silenceAlert?.contains("2 receivers have been silent for a minute: hall, kitchen")
                == true
        )
        #expect(
            registry.record(reportBy: "kitchen", fingerprint: 2, at: 62).changes == [.returned("kitchen")]
        )
        #expect(registry.silent == ["hall"])
    }

    @Test mutating func `telemetry and a fresh status are signs of life, retained ones are not`() throws {
        _ = registry.expect(["kitchen", "hall", "bath"], at: 0)
        _ = registry.record(.online, of: "kitchen", isRetained: true, at: 50)
        _ = registry.record(.online, of: "hall", isRetained: false, at: 50)
        _ = registry.record(ReceiverTelemetry(uptime: 5), of: "bath", at: 50)
        #expect(registry.advance(to: 60) == [.silent("kitchen")])
        #expect(registry["kitchen"]?.status == .online && registry["kitchen"]?.heardAt == nil)
        _ = registry.record(.offline, of: "hall", isRetained: false, at: 55)
        #expect(registry["hall"]?.status == .offline && registry["hall"]?.heardAt == 50)
    }

    @Test mutating func `without a link to the broker nobody is silent, and after it a minute counts anew`() {
        _ = registry.expect(["kitchen"], at: 0)
        _ = report("kitchen", 1, at: 0)
        registry.record(linkIsUp: false, at: 10)
        #expect(registry.advance(to: 500) == [])
        registry.record(linkIsUp: true, at: 510)
        #expect(registry.advance(to: 569) == [] && registry.advance(to: 570) == [.silent("kitchen")])
    }

    @Test mutating func `a receiver that no thing stands for is not missed, and forgotten after an hour`() {
        _ = report("garage", 1, at: 0)
        #expect(registry.advance(to: 60) == [] && registry.silenceAlert == nil)
        #expect(registry.record(reportBy: "garage", fingerprint: 2, at: 90).changes == [])
        _ = registry.advance(to: 3600)
        #expect(registry.receivers.map(\.name) == ["garage"])
        _ = registry.advance(to: 3700)
        #expect(registry.receivers.isEmpty && registry.silenceAlert == nil)
    }

    @Test mutating func `the silence of a receiver counts from when a thing stands for it`() {
        _ = report("garage", 1, at: 0)
        _ = registry.advance(to: 100)
        #expect(registry.expect(["garage"], at: 200) == [] && registry.silent.isEmpty)
        #expect(registry.advance(to: 259) == [] && registry.advance(to: 260) == [.silent("garage")])
        #expect(registry.silenceAlert?.contains("receiver garage has been silent") == true)
        // The thing is taken out of the place: nobody misses it any more.
        _ = registry.expect([], at: 300)
        #expect(registry.silenceAlert == nil)
    }

    @Test mutating func `the same message at once is a repeat, and a second later news`() {
        #expect(report("kitchen", 7, at: 0) == .accepted)
        #expect(report("kitchen", 7, at: 0.1) == .repeated)
        #expect(report("hall", 7, at: 0.1) == .accepted)
        #expect(report("kitchen", 7, at: 1) == .accepted)
        #expect(registry["kitchen"]?.repeats == 1 && registry["kitchen"]?.reports == 2)
    }

    @Test mutating func `an uptime that falls is a restart, whatever clock the receiver has`() {
        #expect(registry.record(ReceiverTelemetry(uptime: 900), of: "k", at: 0) == [.appeared("k")])
        #expect(registry.record(ReceiverTelemetry(uptime: 930), of: "k", at: 30) == [])
        #expect(registry.record(ReceiverTelemetry(uptime: 5), of: "k", at: 60) == [.restarted("k")])
        #expect(registry["k"]?.restarts == 1)
    }

    @Test mutating func `a receiver most of whose messages cannot be used is an alert with the reason`() {
        var changes: [ReceiverRegistry.Change] = []
        for number in 0..<20 {
            changes += registry.record(refusedBy: "k", why: "rssi is missing", at: Double(number))
        }
        #expect(changes == [.appeared("k"), .unusable("k", "rssi is missing")])
        #expect(registry.unusableAlert?.contains("k: rssi is missing") == true)
        #expect(registry["k"]?.refused == 20)
        changes = []
        for number in 20..<60 {
            changes += registry.record(reportBy: "k", fingerprint: UInt64(number), at: Double(number)).changes
        }
        #expect(changes == [.usable("k")] && registry.unusableAlert == nil)
        // Now and then one that cannot be used is no alert.
        for number in 60..<100 {
            _ = registry.record(reportBy: "k", fingerprint: UInt64(number), at: Double(number))
            if number % 5 == 0 { _ = registry.record(refusedBy: "k", why: "x", at: Double(number)) }
        }
        #expect(registry.unusableAlert == nil)
    }

    @Test mutating func `a receiver that floods is cut to its share, and the others are not`() {
        var accepted = 0
        for number in 0..<20_000
        where report("loud", UInt64(number), at: Double(number) / 20_000) == .accepted {
            accepted += 1
        }
        #expect(accepted <= 5001 && (registry["loud"]?.dropped ?? 0) >= 14_900)
        #expect(report("quiet", 1, at: 1) == .accepted)
    }

    @Test mutating func `receivers are bounded, and those of the place keep theirs`() {
        _ = registry.expect(["kitchen"], at: 0)
        for number in 0..<5000 { _ = report("stranger-\(number)", 1, at: 0) }
        #expect(registry.receivers.count == ReceiverRegistry.most)
        #expect(report("one-more", 1, at: 1) == .unknown)
        #expect(report("kitchen", 1, at: 1) == .accepted)
        // One of the place takes the place of a stranger, and the silent give way.
        #expect(registry.expect(["kitchen", "hall"], at: 1) == [])
        #expect(report("hall", 1, at: 2) == .accepted)
        _ = registry.advance(to: 100)
        #expect(report("one-more", 2, at: 100) == .accepted)
        #expect(registry.receivers.count == ReceiverRegistry.most)
    }

    @Test mutating func `impossible names and times change nothing`() {
        for name in ["", "*", "a/b", "a+", "#", String(repeating: "x", count: 65)] {
            #expect(report(name, 1, at: 0) == .unknown)
        }
        #expect(report("k", 1, at: .nan) == .unknown && report("k", 1, at: .infinity) == .unknown)
        #expect(registry.advance(to: .nan) == [] && registry.receivers.isEmpty)
    }

    @Test mutating func `receivers that fall silent together are one line of the log, with the first names`()
    {
        let names = (10..<35).map { "r\($0)" }
        _ = registry.expect(names, at: 0)
        let changes = registry.advance(to: 60)
        #expect(changes.count == 25)
        let lines = ReceiverRegistry.Change.lines(of: [.appeared("x")] + changes + [.restarted("y")])
        let first = names.prefix(20).joined(separator: ", ")
        #expect(
            lines.map(\.text) == [
                "x is heard", "25 have been silent for a minute: \(first) and 5 more", "y has restarted",
            ]
        )
        let one = ReceiverRegistry.Change.lines(of: [.silent("hall"), .appeared("x")])
        #expect(one.map(\.text) == ["hall has been silent for a minute", "x is heard"])
    }

    @Test mutating func `a clock that is set back makes nobody silent for ever`() {
        _ = registry.expect(["k"], at: 1000)
        _ = report("k", 1, at: 1000)
        #expect(registry.advance(to: 10) == [])
        #expect(registry.advance(to: 69) == [] && registry.advance(to: 70) == [.silent("k")])
    }

    @Test mutating func `whatever happens, the alert names exactly those that were silent for a minute`() {
        var random = SplitMix64(seed: 12)
        let names = (0..<6).map { "r\($0)" }
        var heard: [String: Double] = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })
        _ = registry.expect(names, at: 0)
        var now = 0.0
        for step in 0..<3000 {
            now += Double(random.number(below: 20))
            let name = names[random.number(below: 6)]
            switch random.number(below: 4) {
            case 0: _ = report(name, UInt64(step), at: now); heard[name] = now
            case 1: _ = registry.record(ReceiverTelemetry(uptime: step), of: name, at: now); heard[name] = now
            case 2: _ = registry.record(.offline, of: name, isRetained: random.chance(2), at: now)
            default: break
            }
            _ = registry.advance(to: now)
            #expect(registry.silent == names.filter { now - (heard[$0] ?? 0) >= 60 })
        }
    }
}
