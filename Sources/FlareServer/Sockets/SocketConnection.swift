import HTTPListener
import NIOCore
import SocketIO

/// One client of a server of sockets, to which it belongs: its session and what that holds open.
final class SocketConnection {
    let client: FlareClientID
    var session: ServerSession
    /// The WebSocket in use, or the one of an upgrade, and its number: what an older one says is not heard.
    var socket: WebSocket?
    var socketNumber = 0
    /// Whether something was written that is not flushed yet.
    var isWritten = false
    /// GETs that wait for an answer, in order; there is one, save when a second comes and both end.
    var polls: [(ServerSession.Answer) -> Void] = []
    /// What the last poll came by.
    var pollConnection: ObjectIdentifier?
    /// The POST that waits for its answer.
    var post: CheckedContinuation<ServerSession.Answer, Never>?
    /// The weight of what the hub has not dealt with yet.
    var unhandled = 0
    var isPaused = false
    /// When a poll or a message last came, in monotonic milliseconds.
    var heard: Int
    var timer: Scheduled<Void>?
    var timerDeadline = Int.max

    init(client: FlareClientID, session: ServerSession, heard: Int) {
        self.client = client
        self.session = session
        self.heard = heard
    }
}
