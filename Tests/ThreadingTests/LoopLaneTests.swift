import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct LoopLaneTests {
    private typealias Submission =
        @Sendable (LoopLane, LoopExecutor, _ log: @escaping @Sendable (Int) -> Void) -> Void

    /// A clock that each look moves on by half a millisecond.
    private final class SteppingClock: Sendable {
        private let looks = Locked(0)
        private let start = ContinuousClock.now

        func now() -> ContinuousClock.Instant {
            let count = looks.withLock { looks in
                looks += 1
                return looks
            }
            return start + .microseconds(500 * count)
        }
    }

    /// Runs work of a lane and of others on a loop, all submitted before the first runs.
    ///
    /// - Returns: What ran, in order.
    private func order(_ submit: @escaping Submission) async throws -> [Int] {
        let (loop, clock) = (try LoopExecutor(), SteppingClock())
        let lane = LoopLane(on: loop, now: clock.now)
        let order = Locked([Int]())
        await withCheckedContinuation { continuation in
            loop.perform {
                submit(lane, loop) { number in order.withLock { $0.append(number) } }
                lane.perform { continuation.resume() }
            }
        }
        return order.withLock { $0 }
    }

    @Test func `work of one lane keeps its order`() async throws {
        let numbers = try await order { lane, _, log in
            for number in 0..<5000 { lane.perform { log(number) } }
        }
        #expect(numbers == Array(0..<5000))
    }

    @Test func `a lane with much to do lets others work between`() async throws {
        let numbers = try await order { lane, loop, log in
            for number in 0..<5000 { lane.perform { log(number) } }
            loop.perform { log(-1) }
        }
        let place = try #require(numbers.firstIndex(of: -1))
        #expect((1..<20).contains(place))
        #expect(numbers.filter { $0 >= 0 } == Array(0..<5000))
    }

    @Test func `a lane that has rested works again`() async throws {
        let loop = try LoopExecutor()
        let lane = LoopLane(on: loop)
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in lane.perform { continuation.resume() } }
        }
    }

    @Test func `what has run is released before the rest has`() async throws {
        final class Burden: Sendable {}
        struct Watch: Sendable { weak let burden: Burden? }
        let loop = try LoopExecutor()
        let lane = LoopLane(on: loop)
        // A function of its own, so that nothing here holds the burden when the lane looks.
        func load() -> Watch {
            let burden = Burden()
            lane.perform { _ = burden }
            return Watch(burden: burden)
        }
        let watch = load()
        let isGone: Bool = await withCheckedContinuation { continuation in
            lane.perform { lane.perform { continuation.resume(returning: watch.burden == nil) } }
        }
        #expect(isGone)
    }
}
