import Settings
import Threading

/// The ports that the system chose where port 0 is configured; a reload keeps them.
package final class ListenerPorts: Sendable {
    private let chosen = Locked<[String: (listen: HostAndPort, port: Int)]>([:])

    package init() {}

    /// The port to listen on: the one before, if the same is configured as then.
    func port(of listener: String, for listen: HostAndPort) -> Int {
        guard listen.port == 0, let last = chosen.withLock({ $0[listener] }), last.listen == listen else {
            return listen.port
        }
        return last.port
    }

    /// Records the port that a listener got.
    func record(_ port: Int, of listener: String, for listen: HostAndPort) {
        chosen.withLock { $0[listener] = (listen, port) }
    }

    /// Lets the system choose again: another program may have taken them.
    package func forget() { chosen.withLock { $0 = [:] } }
}
