import CMosquitto
import Glibc

/// Wakes a thread that waits for a socket.
final class EventFD: Sendable {
    /// What a socket is ready for.
    struct Readiness {
        var toRead = false
        var toWrite = false
    }

    private let descriptor: Int32

    /// - Throws: ``MQTTError/configuration(_:)`` when the process may have no more descriptors.
    init() throws(MQTTError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw .configuration("cannot wait for the broker: \(String(cString: strerror(errno)))")
        }
    }

    deinit { Glibc.close(descriptor) }

    func ring() { _ = eventfd_write(descriptor, 1) }

    /// Waits until the socket is ready, the bell is rung, or the time is over.
    ///
    /// A socket that has failed is ready for everything, so that whoever uses it learns why.
    func wait(for socket: Int32, writing: Bool, milliseconds: Int32) -> Readiness {
        var waited = [
            pollfd(fd: socket, events: Int16(POLLIN | (writing ? POLLOUT : 0)), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waited, nfds_t(waited.count), milliseconds) > 0 else { return Readiness() }
        if waited[1].revents != 0 {
            var rings: eventfd_t = 0
            _ = eventfd_read(descriptor, &rings)
        }
        let events = Int32(waited[0].revents)
        return Readiness(toRead: events & ~POLLOUT != 0, toWrite: events & ~POLLIN != 0)
    }
}
