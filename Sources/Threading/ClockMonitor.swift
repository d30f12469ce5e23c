import CClock
import Glibc
package import SystemPackage

/// Reports when the wall clock is set, or jumps because the machine woke up, as it happens.
///
/// - Source: timerfd_create(2), TFD_TIMER_CANCEL_ON_SET.
package struct ClockMonitor: Sendable {
    private let descriptor: Int32

    /// - Throws: The system's error, if it cannot open another descriptor.
    package init() throws(Errno) {
        descriptor = trilateral_clock_monitor()
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    }

    /// An element for each time at which the clock was set, until the task that reads it ends.
    ///
    /// Read it once: the monitor ends with it.
    package func changes() -> AsyncStream<Void> {
        let (stream, port) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Before the thread runs: a clock that is set from now on is not missed.
        guard arm(), let stop = try? EventFD(),
            let thread = try? POSIXThread({ self.read(until: stop, port) })
        else {
            close(descriptor)
            port.finish()
            return stream
        }
        thread.detach()
        port.onTermination = { _ in stop.signal() }
        return stream
    }

    /// Waits for a time that never comes, so that only a change of the clock ends the wait.
    ///
    /// - Returns: Whether that is possible.
    private func arm() -> Bool {
        trilateral_clock_monitor_arm(descriptor) == 0 || errno == ECANCELED
    }

    private func read(until stop: EventFD, _ port: AsyncStream<Void>.Continuation) {
        defer {
            close(descriptor)
            port.finish()
        }
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, nfds_t(waiting.count), -1) >= 0 || errno == EINTR else { return }
            if waiting[1].revents != 0 { return }
            guard waiting[0].revents != 0 else { continue }
            var count: UInt64 = 0
            let bytes = Glibc.read(descriptor, &count, MemoryLayout<UInt64>.size)
            guard bytes >= 0 || errno == ECANCELED else {
                if errno == EAGAIN || errno == EINTR { continue }
                return
            }
            guard arm() else { return }
            port.yield()
        }
    }
}
