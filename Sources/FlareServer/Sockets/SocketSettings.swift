package import SocketIO

/// How much the server of Socket.IO bears of its clients.
package struct SocketSettings: Sendable {
    package var engine = ServerSession.Settings()
    /// Sessions at the same time.
    package var sessions = 10_000
    /// Messages of one client that wait for the hub, beyond which no more of it is read; long ones count for more.
    package var unhandled = 512
    /// Messages that the hub gets at once.
    package var batch = 256

    package init() {}
}
