package import SocketIO

/// The limits of the Socket.IO server.
package struct SocketSettings: Sendable {
    package var engine = ServerSession.Settings()
    /// The limit of simultaneous sessions.
    package var maximumSessions = 10_000
    /// Pending messages of a client at which reading from it pauses; long messages count more.
    package var maximumPendingMessages = 512
    /// Messages per batch for the hub.
    package var batchSize = 256

    package init() {}
}
