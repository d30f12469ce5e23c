import HTTPListener
import NIOCore
import SocketIO

/// A client of a ``SocketServer``: its session and open connections.
final class SocketConnection {
    let client: FlareClientID
    /// Who opened it.
    let visitor: FlareVisitor
    var session: ServerSession
    /// The current WebSocket or that of an upgrade, and its number, by which events of older ones are ignored.
    var socket: WebSocket?
    var socketNumber = 0
    /// Whether written data is not flushed yet.
    var needsFlush = false
    /// Pending GET requests in order; a second one ends both.
    var polls: [(ServerSession.Answer) -> Void] = []
    /// The connection of the last poll.
    var pollChannel: ObjectIdentifier?
    /// The pending POST request.
    var post: CheckedContinuation<ServerSession.Answer, Never>?
    /// Messages that are not forwarded yet, and the number of those that the hub has not handled.
    var backlog: ArraySlice<SocketInput> = []
    var inputsAtHub = 0
    /// The weight of the messages that the hub has not handled yet.
    var pendingWeight = 0
    /// The bytes that waited to be sent to it when they were counted last.
    var waitingBytes = 0
    var isPaused = false
    /// When it was asked last who the client is, monotonic milliseconds.
    var lastIdentified: Int
    /// The time of the last poll or message, monotonic milliseconds.
    var lastReceived: Int
    var timer: Scheduled<Void>?
    var timerDeadline = Int.max

    init(client: FlareClientID, visitor: FlareVisitor, session: ServerSession, lastReceived: Int) {
        self.client = client
        self.visitor = visitor
        self.session = session
        self.lastReceived = lastReceived
        lastIdentified = lastReceived
    }
}
