/// Why a client's session ended, or was none.
package enum ClientSessionEnd: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no connection to the server.
    case unreachable(String)
    /// The server answered the handshake, or a poll, with another status than 200 or 101.
    case refused(status: Int, String)
    case serverClosed
    case connectionClosed
    /// The server did not let us in, or said nothing more.
    case timedOut(waitingFor: String, milliseconds: Int)
    /// The server said what is no Engine.IO or Socket.IO.
    case malformed(String)
    /// The server does not let us into the namespace "/", or put us out.
    case turnedAway(String)
    /// The server lets every poll go at once: what it has to tell waits for a websocket that was lost.
    case stranded
    case tooMuchWaiting
    case closedByUs

    /// Whether another transport or revision might do better: the server is there, but it did not let us in.
    package var isWorthAnotherWay: Bool {
        switch self {
        case .refused, .timedOut, .malformed, .connectionClosed, .serverClosed, .stranded: true
        case .unreachable, .turnedAway, .tooMuchWaiting, .closedByUs: false
        }
    }

    package var description: String {
        switch self {
        case .unreachable(let why): why
        case .refused(let status, let words):
            "the server refused the session with status \(status)" + (words.isEmpty ? "" : ": \(words)")
        case .serverClosed: "the server closed the session"
        case .connectionClosed: "the connection was closed"
        case .timedOut(let what, let milliseconds):
            "no \(what) from the server within \(Double(milliseconds) / 1000) s"
        case .malformed(let what): "the server does not speak the protocol: \(what)"
        case .turnedAway(let words): "the server does not let us in" + (words.isEmpty ? "" : ": \(words)")
        case .stranded: "the server answers every poll with nothing"
        case .tooMuchWaiting: "the server does not take what we send"
        case .closedByUs: "closed"
        }
    }
}
