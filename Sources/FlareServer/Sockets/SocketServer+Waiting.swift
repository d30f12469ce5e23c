import HTTPListener
import SocketIO

// What waits to be sent to all clients together, and who they still are.
extension SocketServer {
    /// Notes that a client was heard, as it is at every heartbeat; the session of one who is nobody any more ends.
    func isStillKnown(_ connection: SocketConnection) -> Bool {
        let now = Self.now
        connection.lastReceived = now
        guard now - connection.lastIdentified >= settings.identificationPause else { return true }
        connection.lastIdentified = now
        guard hub.access.isGone(connection.visitor) else { return true }
        perform(connection.session.end(.notIdentified, now: now), connection)
        return false
    }

    /// Counts what waits for a client; where all together have too much, the sessions with most end.
    func count(_ connection: SocketConnection) {
        refresh(connection)
        guard waitingBytes > settings.maximumWaitingBytes else { return }
        // Sockets have sent some of it since.
        for connection in connections.values { refresh(connection) }
        guard waitingBytes > settings.maximumWaitingBytes else { return }
        var fullest: [SocketConnection] = []
        // A few more at once, so that this is seldom.
        for connection in connections.values.sorted(by: { $0.waitingBytes > $1.waitingBytes })
        where waitingBytes > settings.maximumWaitingBytes / 4 * 3 {
            waitingBytes -= connection.waitingBytes
            connection.waitingBytes = 0
            fullest.append(connection)
        }
        for connection in fullest {
            connection.socket?.abort()
            perform(connection.session.end(.tooMuchWaiting, now: Self.now), connection)
        }
    }

    private func refresh(_ connection: SocketConnection) {
        let bytes = connection.session.queuedBytes + (connection.socket?.waitingBytes ?? 0)
        waitingBytes += bytes - connection.waitingBytes
        connection.waitingBytes = bytes
    }
}
