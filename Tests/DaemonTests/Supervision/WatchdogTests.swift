import Daemon
import HTTPListener
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct WatchdogTests {
    /// Runs a watchdog beside the body.
    private func withWatchdog(
        _ parts: [@Sendable () async -> Void],
        _ body: (AsyncStream<Void>) async throws -> Void
    ) async throws {
        let (feeds, port) = AsyncStream.makeStream(of: Void.self)
        let watchdog = Watchdog(timeout: .milliseconds(2), parts) { port.yield() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await watchdog.run()
                port.finish()
            }
            defer { tasks.cancelAll() }
            try await body(feeds)
        }
    }

    @Test func `it is fed again and again while the loops work`() async throws {
        let loop = try LoopExecutor()
        try await withWatchdog([{ await loop.nextTurn() }, { await ListenerLoops.nextTurns() }]) { feeds in
            var count = 0
            for await _ in feeds {
                count += 1
                if count == 3 { break }
            }
            #expect(count == 3)
        }
    }

    @Test func `one part that hangs keeps the food back, and does not keep the end back`() async throws {
        let loop = try LoopExecutor()
        let (gate, open) = AsyncStream.makeStream(of: Never.self)
        let asked = AsyncStream.makeStream(of: Void.self)
        let fed = Locked(0)
        let watchdog = Watchdog(
            timeout: .milliseconds(2),
            [
                { await loop.nextTurn() },
                {
                    asked.continuation.yield()
                    for await _ in gate {}
                },
            ]
        ) { fed.withLock { $0 += 1 } }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await watchdog.run() }
            for await _ in asked.stream { break }
            await loop.nextTurn()
            #expect(fed.withLock { $0 } == 0)
            tasks.cancelAll()
        }
        #expect(fed.withLock { $0 } == 0)
        open.finish()
    }
}
