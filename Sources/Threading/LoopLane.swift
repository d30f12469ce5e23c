/// The work of one source on a loop, in its order, which gives way to the work of others.
///
/// Whoever sends faster than the loop works would otherwise keep everybody else from it until all is done.
package final class LoopLane: Sendable {
    /// How long the lane works before others have their turn.
    private static let turn = Duration.milliseconds(2)

    private struct State {
        /// From the oldest to the newest, without those before `next`.
        var waiting: [@Sendable () -> Void] = []
        var next = 0
        /// Whether the loop has been told, or works.
        var isCalled = false

        mutating func takeNext() -> (@Sendable () -> Void)? {
            guard next < waiting.count else {
                waiting.removeAll(keepingCapacity: waiting.count < 64)
                (next, isCalled) = (0, false)
                return nil
            }
            // What has run is released now and not with the last one.
            let work = waiting[next]
            waiting[next] = {}
            next += 1
            // A lane that never rests keeps nothing either.
            if next >= 1024, next >= waiting.count / 2 {
                waiting.removeFirst(next)
                next = 0
            }
            return work
        }
    }

    private let loop: LoopExecutor
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    /// - Parameter now: The clock of turns.
    package init(
        on loop: LoopExecutor,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        (self.loop, self.now) = (loop, now)
    }

    /// Runs a closure on the loop, after all that was submitted to this lane before it.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        let calls = state.withLock { state in
            state.waiting.append(body)
            defer { state.isCalled = true }
            return !state.isCalled
        }
        if calls { callLoop() }
    }

    private func callLoop() { loop.perform { self.work() } }

    private func work() {
        let end = now() + Self.turn
        // After what others have submitted meanwhile.
        while runNext() { if now() >= end { return callLoop() } }
    }

    /// - Returns: `false` if nothing waits.
    private func runNext() -> Bool {
        guard let work = state.withLock({ $0.takeNext() }) else { return false }
        work()
        return true
    }
}
