import Glibc
import Testing
import Threading

@Suite struct EventFDTests {
    private func isReadable(_ event: EventFD) -> Bool {
        var waited = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, 0) > 0
    }

    @Test func `is readable from a signal until it is cleared, however often it was signalled`() throws {
        let event = try EventFD()
        #expect(!isReadable(event))
        event.signal()
        event.signal()
        #expect(isReadable(event))
        #expect(isReadable(event))
        event.clear()
        #expect(!isReadable(event))
    }

    @Test func `wakes a thread that polls it`() throws {
        let (event, hasWoken) = (try EventFD(), Locked(false))
        let thread = try POSIXThread {
            var waited = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&waited, 1, 60_000)
            hasWoken.withLock { $0 = count > 0 }
        }
        event.signal()
        thread.join()
        #expect(hasWoken.withLock { $0 })
    }
}
