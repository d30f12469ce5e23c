import Foundation
import Glibc
import Testing
import Threading

struct LoopExecutorTests {
    /// Threads on which something was done, in order.
    // @unchecked: touched only while the lock is held.
    private final class Diary: @unchecked Sendable {
        private let lock = NSLock()
        private var threads: [UInt] = []

        func note() { lock.withLock { threads.append(UInt(pthread_self())) } }
        var all: [UInt] { lock.withLock { threads } }
    }

    /// A thread of our own that does one thing.
    private func onThread(_ work: @escaping @Sendable () -> Void) async -> UInt {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                work()
                continuation.resume(returning: UInt(pthread_self()))
            }
            thread.start()
        }
    }

    @Test func `what a thread brings while it lends itself is done on it`() async throws {
        let (loop, diary) = try (LoopExecutor(), Diary())
        let lender = await onThread {
            loop.lend {
                Task(executorPreference: loop) {
                    diary.note()
                    await Task.yield()
                    diary.note()
                }
            }
        }
        #expect(diary.all == [lender, lender])
    }

    @Test func `what is brought otherwise is done on the loop's own thread`() async throws {
        let (loop, diary) = try (LoopExecutor(), Diary())
        await Task(executorPreference: loop) { diary.note() }.value
        let lender = await onThread { loop.lend {} }
        await Task(executorPreference: loop) { diary.note() }.value
        #expect(Set(diary.all).count == 1)
        #expect(!diary.all.contains(lender))
    }

    @Test(.timeLimit(.minutes(1)))
    func `who has lent itself for long is let go, and the loop goes on`() async throws {
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

    @Test func `a free executor runs a body and what it brings on the calling thread`() async throws {
        let (loop, diary) = try (LoopExecutor(), Diary())
        let caller = await onThread {
            let isCurrent = loop.runIfFree {
                loop.perform { diary.note() }
                return loop.isCurrent && diary.all.isEmpty
            }
            #expect(isCurrent == true)
            #expect(!loop.isCurrent)
        }
        #expect(diary.all == [caller])
    }

    @Test func `a busy executor does not run a body for others, and runs its own`() async throws {
        let (loop, diary) = try (LoopExecutor(), Diary())
        _ = await onThread {
            loop.runIfFree {
                let other = DispatchSemaphore(value: 0)
                Thread {
                    loop.runIfFree { diary.note() }
                    other.signal()
                }.start()
                other.wait()
                loop.runIfFree { diary.note() }
            }
        }
        #expect(diary.all.count == 1)
    }

    private static var thread: UInt { UInt(pthread_self()) }

    @Test func `whoever brings what, everything is done once, and one after the other`() async throws {
        let loop = try LoopExecutor()
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        _ = await onThread {
                            let bring: @Sendable () -> Void = {
                                for _ in 0..<10 { Task(executorPreference: loop) { counter.count() } }
                            }
                            if worker.isMultiple(of: 2) { loop.lend { bring() } } else { bring() }
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
        // From a thread that lends itself, without a task.
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

    /// Counts, and how many count at once.
    // @unchecked: touched only while the lock is held.
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
}
