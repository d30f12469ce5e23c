import Foundation
import Glibc
import Testing
import Threading

struct LoopExecutorTests {
    /// The threads on which work ran, in order.
    // @unchecked: accessed only while the lock is held.
    private final class ThreadLog: @unchecked Sendable {
        private let lock = NSLock()
        private var threads: [UInt] = []

        func record() { lock.withLock { threads.append(UInt(pthread_self())) } }
        var all: [UInt] { lock.withLock { threads } }
    }

    /// Runs work on a new thread.
    ///
    /// - Returns: The thread.
    private func onThread(_ work: @escaping @Sendable () -> Void) async -> UInt {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                work()
                continuation.resume(returning: UInt(pthread_self()))
            }
            thread.start()
        }
    }

    @Test func `the next turn comes after the work that was submitted before it`() async throws {
        let loop = try LoopExecutor()
        let done = Locked(0)
        for _ in 0..<100 { loop.perform { done.withLock { $0 += 1 } } }
        await loop.nextTurn()
        #expect(done.withLock { $0 } == 100)
    }

    @Test func `work that a thread submits while it lends itself runs on that thread`() async throws {
        // A busy machine may take the thread longer than it lends itself.
        let start = ContinuousClock.now
        let (loop, log) = try (LoopExecutor(now: { start }), ThreadLog())
        let lender = await onThread {
            loop.lend {
                Task(executorPreference: loop) {
                    log.record()
                    await Task.yield()
                    log.record()
                }
            }
        }
        #expect(log.all == [lender, lender])
    }

    @Test func `other work runs on the executor's own thread`() async throws {
        let (loop, log) = try (LoopExecutor(), ThreadLog())
        await Task(executorPreference: loop) { log.record() }.value
        let lender = await onThread { loop.lend {} }
        await Task(executorPreference: loop) { log.record() }.value
        #expect(Set(log.all).count == 1)
        #expect(!log.all.contains(lender))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a task that never ends is moved to the executor's own thread`() async throws {
        let loop = try LoopExecutor()
        let (work, end) = AsyncStream.makeStream(of: Void.self)
        _ = await onThread {
            let lender = UInt(pthread_self())
            loop.lend {
                Task(executorPreference: loop) {
                    while Self.thread == lender { await Task.yield() }
                    end.finish()
                }
            }
        }
        for await _ in work {}
    }

    @Test func `a thread that lends itself leaves the rest of a large batch after two milliseconds`()
        async throws
    {
        let time = Locked(ContinuousClock.now)
        let log = ThreadLog()
        let loop = try LoopExecutor { time.withLock { $0 } }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let lender = await onThread {
            loop.lend {
                for _ in 0..<3 {
                    loop.perform {
                        log.record()
                        time.withLock { $0 += .milliseconds(1) }
                    }
                }
                loop.perform {
                    log.record()
                    end.finish()
                }
            }
        }
        for await _ in ended {}
        #expect(log.all.count == 4)
        #expect(log.all.prefix(2) == [lender, lender])
        #expect(!log.all.dropFirst(2).contains(lender))
    }

    @Test func `a free executor runs a body and the work that it submits on the calling thread`() async throws
    {
        let (loop, log) = try (LoopExecutor(), ThreadLog())
        let caller = await onThread {
            let isCurrent = loop.runIfFree {
                loop.perform { log.record() }
                return loop.isCurrent && log.all.isEmpty
            }
            #expect(isCurrent == true)
            #expect(!loop.isCurrent)
        }
        #expect(log.all == [caller])
    }

    @Test func `a busy executor runs a body only if its own thread asks`() async throws {
        let (loop, log) = try (LoopExecutor(), ThreadLog())
        _ = await onThread {
            loop.runIfFree {
                let other = DispatchSemaphore(value: 0)
                Thread {
                    loop.runIfFree { log.record() }
                    other.signal()
                }.start()
                other.wait()
                loop.runIfFree { log.record() }
            }
        }
        #expect(log.all.count == 1)
    }

    private static var thread: UInt { UInt(pthread_self()) }

    @Test func `work from many threads runs once each and one at a time`() async throws {
        let loop = try LoopExecutor()
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        _ = await onThread {
                            let submit: @Sendable () -> Void = {
                                for _ in 0..<10 { Task(executorPreference: loop) { counter.count() } }
                            }
                            if worker.isMultiple(of: 2) { loop.lend { submit() } } else { submit() }
                        }
                    }
                }
            }
        }
        await Task(executorPreference: loop) {}.value
        while counter.total < 2000 { await Task.yield() }
        #expect(counter.total == 2000)
        #expect(counter.most == 1)
    }

    @Test func `actors on one executor call each other as plain functions`() async throws {
        let loop = try LoopExecutor()
        let (first, second) = (Member(loop), Member(loop))
        await first.add(1, to: second)
        #expect(await second.total == 1)
        // Without a task.
        _ = await onThread {
            loop.lend { loop.perform { second.assumeIsolated { $0.total += 1 } } }
        }
        #expect(await second.total == 2)
        #expect(!loop.isCurrent)
    }

    private actor Member {
        let loop: LoopExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        var total = 0

        init(_ loop: LoopExecutor) { self.loop = loop }

        func add(_ number: Int, to other: Member) {
            #expect(loop.isCurrent)
            other.assumeIsolated { $0.total += number }
        }
    }

    /// Counts calls, and how many of them run at once.
    // @unchecked: accessed only while the lock is held.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var now = 0
        private var mostAtOnce = 0
        private var done = 0

        func count() {
            lock.withLock {
                now += 1
                mostAtOnce = max(mostAtOnce, now)
            }
            sched_yield()
            lock.withLock {
                now -= 1
                done += 1
            }
        }

        var total: Int { lock.withLock { done } }
        var most: Int { lock.withLock { mostAtOnce } }
    }

    @Test func `delayed work runs in the order of its times, on the executor's own thread`() async throws {
        let time = Locked(ContinuousClock.now)
        let log = ThreadLog()
        let loop = try LoopExecutor { time.withLock { $0 } }
        let (work, end) = AsyncStream.makeStream(of: String.self)
        for (name, delay) in [("d", 30), ("a", 10), ("c", 20), ("b", 10)] {
            loop.perform(after: .milliseconds(delay)) {
                log.record()
                end.yield(name)
                if name == "d" { end.finish() }
            }
        }
        time.withLock { $0 += .milliseconds(31) }
        var names: [String] = []
        for await name in work { names.append(name) }
        #expect(names == ["a", "b", "c", "d"])
        await Task(executorPreference: loop) { log.record() }.value
        #expect(Set(log.all).count == 1)
    }

    @Test func `delayed work does not run before its time`() async throws {
        let loop = try LoopExecutor()
        let start = ContinuousClock.now
        let (work, end) = AsyncStream.makeStream(of: Void.self)
        loop.perform(after: .milliseconds(20)) { end.finish() }
        for await _ in work {}
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test func `delayed work does not keep a released executor`() async throws {
        let (work, end) = AsyncStream.makeStream(of: Void.self)
        var loop: LoopExecutor? = try LoopExecutor()
        loop?.perform(after: .seconds(3600)) { end.finish() }
        weak let released = loop
        loop = nil
        #expect(released == nil)
        _ = work
    }

    @Test func `what is to run at rest runs once the present work is done, on the same thread`() async throws
    {
        let loop = try LoopExecutor()
        let order = Locked([String]())
        @Sendable func record(_ text: String) { order.withLock { $0.append(text) } }
        let lender = await onThread {
            loop.lend {
                loop.perform {
                    loop.performAtRest { record("rest \(Self.thread)") }
                    record("first")
                }
                loop.perform { record("second") }
            }
        }
        #expect(order.withLock { $0 } == ["first", "second", "rest \(lender)"])
    }

    @Test func `what is to run at rest runs after work on the executor's own thread, too`() async throws {
        let loop = try LoopExecutor()
        let (work, end) = AsyncStream.makeStream(of: Void.self)
        loop.perform { loop.performAtRest { end.finish() } }
        for await _ in work {}
    }

    @Test func `what is to run at rest runs after work that found the executor free`() throws {
        let loop = try LoopExecutor()
        let count = Locked(0)
        let isFree = loop.runIfFree {
            loop.performAtRest { count.withLock { $0 += 1 } }
            return count.withLock { $0 } == 0
        }
        if let isFree { #expect(isFree && count.withLock { $0 } == 1) }
    }
}
