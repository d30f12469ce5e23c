import Glibc
import Threading

extension EventFD {
    /// What a socket is ready for.
    struct Readiness {
        var toRead = false
        var toWrite = false
    }

    /// Waits until the socket is ready, the event is signalled, or the time is over; clears the event.
    ///
    /// A failed socket is ready for everything, so that using it reports the error.
    func wait(for socket: Int32, reading: Bool = true, writing: Bool, milliseconds: Int32) -> Readiness {
        var waited = [
            pollfd(fd: socket, events: Int16((reading ? POLLIN : 0) | (writing ? POLLOUT : 0)), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waited, nfds_t(waited.count), milliseconds) > 0 else { return Readiness() }
        if waited[1].revents != 0 { clear() }
        let events = Int32(waited[0].revents)
        return Readiness(toRead: events & ~POLLOUT != 0, toWrite: events & ~POLLIN != 0)
    }
}
