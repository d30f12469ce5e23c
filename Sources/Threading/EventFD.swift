import CEventFD
import Glibc
package import SystemPackage

/// A descriptor that other threads make readable, to wake a thread that waits in `poll`.
/// - Source: eventfd(2).
package final class EventFD: Sendable {
    /// Readable from ``signal()`` to ``clear()``.
    package let descriptor: Int32

    /// - Throws: The system's error if the process cannot open another descriptor.
    package init() throws(Errno) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable.
    package func signal() { _ = eventfd_write(descriptor, 1) }

    /// Makes the descriptor unreadable until the next ``signal()``.
    package func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
