import Testing
import Threading

struct StoringPaceTests {
    private let start = ContinuousClock.now

    @Test func `the first reading after a rest is written soon`() {
        var pace = StoringPace(spacing: .seconds(30))
        #expect(pace.delay(at: start) == .milliseconds(250))
        pace.wrote(at: start)
        #expect(pace.delay(at: start + .seconds(30)) == .milliseconds(250))
        #expect(pace.delay(at: start + .seconds(3000)) == .milliseconds(250))
    }

    @Test func `readings that go on are written once in the spacing`() {
        var pace = StoringPace(spacing: .seconds(30))
        var (now, writes, due) = (start, 0, start + pace.delay(at: start))
        // One every 100 ms for an hour.
        for _ in 0..<36_000 {
            now += .milliseconds(100)
            guard now >= due else { continue }
            pace.wrote(at: now)
            writes += 1
            due = now + pace.delay(at: now)
        }
        #expect(writes == 120)
    }
}
