import Glibc
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct ClockMonitorTests {
    /// Sets the clock to the time that it has, which the system reports like any other setting.
    /// - Returns: Whether this process may set it.
    private static func setClock() -> Bool {
        var time = timespec()
        return clock_gettime(CLOCK_REALTIME, &time) == 0 && clock_settime(CLOCK_REALTIME, &time) == 0
    }

    @Test func `reports that the clock was set, and that it was set again`() async throws {
        let monitor = try ClockMonitor()
        var changes = monitor.changes().makeAsyncIterator()
        // Only root may set the clock, and seldom in a container.
        guard Self.setClock() else { return }
        #expect(await changes.next() != nil)
        #expect(Self.setClock())
        #expect(await changes.next() != nil)
    }

    @Test func `ends with the task that reads it`() async throws {
        let monitor = try ClockMonitor()
        let reading = Task { for await _ in monitor.changes() {} }
        reading.cancel()
        await reading.value
    }
}
