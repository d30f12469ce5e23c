import HTTPListener
import Settings
import Threading

/// The sockets of the listeners, which a reload keeps: no other program gets their addresses meanwhile.
package final class ListenerSockets: Sendable {
    private let sockets = Locked<[String: (listen: HostAndPort, socket: ListeningSocket)]>([:])

    package init() {}

    /// The socket of a listener: the one before, if the same is configured as then.
    func socket(of listener: String, for listen: HostAndPort) -> ListeningSocket {
        sockets.withLock { sockets in
            if let last = sockets[listener], last.listen == listen { return last.socket }
            sockets[listener]?.socket.close()
            let socket = ListeningSocket()
            sockets[listener] = (listen, socket)
            return socket
        }
    }

    /// Gives the address of a listener up that is switched off.
    func close(_ listener: String) {
        sockets.withLock { $0.removeValue(forKey: listener)?.socket.close() }
    }

    package func closeAll() {
        sockets.withLock { sockets in
            for (_, socket) in sockets.values { socket.close() }
            sockets = [:]
        }
    }
}
