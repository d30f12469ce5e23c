package import SocketIO

/// The limits of the Socket.IO server.
package struct SocketSettings: Sendable {
    package var engine = ServerSession.Settings()
    /// The limit of simultaneous sessions.
    package var maximumSessions = 10_000
    /// Most bytes that wait for all clients together; beyond it the sessions with most end.
    package var maximumWaitingBytes = 64_000_000
    /// Pending messages of a client at which reading from it pauses; long messages count more.
    package var maximumPendingMessages = 512
    /// Messages of a polling client that the hub handles at once, and bytes of unfetched answers at which the others
    /// wait: a short body can ask for very much.
    package var maximumPolledMessages = 16
    package var pausingQueuedBytes = 1_000_000
    /// How often it is asked who a connected client is, as nothing tells when a token ends; milliseconds.
    package var identificationPause = 10_000
    /// Messages per batch for the hub.
    package var batchSize = 256

    package init() {}
}
