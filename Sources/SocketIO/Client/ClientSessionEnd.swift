/// Why a client's session ended or could not be opened.
package enum ClientSessionEnd: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server cannot be reached.
    case unreachable(String)
    /// The server answered the handshake or a poll with a status other than 200 or 101.
    case refused(status: Int, String)
    case serverClosed
    case connectionClosed
    /// The server did not join us in time, or became silent.
    case timedOut(waitingFor: String, milliseconds: Int)
    /// The server does not speak Engine.IO or Socket.IO.
    case malformed(String)
    /// The server refused the namespace "/", or disconnected us from it.
    case turnedAway(String)
    /// The server releases every poll at once: it waits for a websocket that was lost.
    case stranded
    case tooMuchWaiting
    case closedByUs

    /// Whether another transport or revision may succeed: the server is reachable, but refused this one.
    package var allowsOtherApproach: Bool {
        switch self {
        case .refused, .timedOut, .malformed, .connectionClosed, .serverClosed, .stranded: true
        case .unreachable, .turnedAway, .tooMuchWaiting, .closedByUs: false
        }
    }

    package var description: String {
        switch self {
        case .unreachable(let why): why
        case .refused(status: 401, _): "the server asks for a token that it knows (status 401)"
        case .refused(let status, let words):
            "the server refused the session with status \(status)" + (words.isEmpty ? "" : ": \(words)")
        case .serverClosed: "the server closed the session"
        case .connectionClosed: "the connection was closed"
        case .timedOut(let what, let milliseconds):
            "no \(what) from the server within \(Double(milliseconds) / 1000) s"
        case .malformed(let what): "the server does not speak the protocol: \(what)"
        case .turnedAway(let words): "the server refused the connection" + (words.isEmpty ? "" : ": \(words)")
        case .stranded: "the server answers every poll without data"
        case .tooMuchWaiting: "the server does not accept data fast enough"
        case .closedByUs: "closed"
        }
    }
}
