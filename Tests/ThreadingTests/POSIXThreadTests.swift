import Glibc
import Testing
import Threading

@Suite struct POSIXThreadTests {
    @Test func `join returns when the work is done`() throws {
        let sum = Locked(0)
        let threads = try (1...8).map { number in
            try POSIXThread { for _ in 0..<1000 { sum.withLock { $0 += number } } }
        }
        for thread in threads { thread.join() }
        #expect(sum.withLock { $0 } == 36_000)
    }

    @Test func `no signal is delivered to the thread`() throws {
        let blocked = Locked<[Bool]>([])
        let thread = try POSIXThread {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let results = [SIGTERM, SIGINT, SIGHUP, SIGUSR1].map { sigismember(&mask, $0) == 1 }
            blocked.withLock { $0 = results }
        }
        thread.join()
        #expect(blocked.withLock { $0 } == [true, true, true, true])
    }

    @Test func `a lock that this thread holds is not free`() {
        let value = Locked(1)
        #expect(value.withLock { _ in value.withLockIfFree { $0 } } == nil)
        #expect(value.withLockIfFree { $0 } == 1)
    }
}
