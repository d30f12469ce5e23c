import Controller
import Daemon
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TimerServiceTests {
    /// Timers that wait until the test wakes them.
    private struct Bench {
        var timers: TimerService
        let firings: AsyncStream<TimerService.Firing>
        let wake: AsyncStream<Void>.Continuation

        init() {
            let (fired, port) = AsyncStream.makeStream(of: TimerService.Firing.self)
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
            firings = fired
            self.wake = wake
            timers = TimerService(
                sleep: { _ in
                    for await _ in wakes { break }
                    try Task.checkCancellation()
                },
                fire: { port.yield($0) }
            )
        }

        func next() async -> TimerService.Firing? {
            for await firing in firings { return firing }
            return nil
        }
    }

    @Test func `a timer fires once`() async throws {
        var bench = Bench()
        bench.timers.start(.readAgain, after: .seconds(1))
        bench.wake.yield()
        let firing = try #require(await bench.next())
        let (first, second) = (bench.timers.accept(firing), bench.timers.accept(firing))
        #expect(firing.timer == .readAgain && first && !second)
    }

    @Test func `a firing is ignored if its timer was stopped or started again meanwhile`() async throws {
        var bench = Bench()
        bench.timers.start(.readAgain, after: .seconds(1))
        bench.wake.yield()
        let firing = try #require(await bench.next())
        bench.timers.start(.readAgain, after: .seconds(1))
        let isReplaced = !bench.timers.accept(firing)
        bench.wake.yield()
        let second = try #require(await bench.next())
        bench.timers.stop(.readAgain)
        let isStopped = !bench.timers.accept(second)
        #expect(isReplaced && isStopped)
    }

    @Test func `stopped timers wait no longer and do not fire`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        var timers = TimerService(
            sleep: { _ in
                defer { end.yield() }
                try await Task.sleep(for: .seconds(3600))
            },
            fire: { Issue.record("\($0) fired") }
        )
        timers.start(.readAgain, after: .seconds(1))
        timers.start(.presenceCheck, after: .seconds(1))
        timers.stopAll()
        var count = 0
        for await _ in ended {
            count += 1
            if count == 2 { break }
        }
    }
}
