import HTTPListener
import NIOCore
import SocketIO

/// One client of a ``SocketServer``: its session and what that holds open. Belongs to the server.
final class SocketSeat {
    let client: FlareClientID
    var session: ServerSession
    /// The WebSocket in use, or the one of an upgrade, and its number: what an older one says is not heard.
    var socket: WebSocket?
    var socketNumber = 0
    /// GETs that wait for an answer, in order; there is one, save when a second comes and both end.
    var polls: [CheckedContinuation<ServerSession.Answer, Never>] = []
    /// What the last poll came by.
    var pollConnection: ObjectIdentifier?
    /// A POST that waits for its own answer.
    var posts: [CheckedContinuation<ServerSession.Answer, Never>] = []
    /// Messages that the hub has not dealt with yet.
    var unhandled = 0
    var isPaused = false
    /// Whether anything has been heard since the handshake.
    var hasSpoken = false
    var timer: Scheduled<Void>?
    var timerDeadline = Int.max

    init(client: FlareClientID, session: ServerSession) {
        self.client = client
        self.session = session
    }
}
