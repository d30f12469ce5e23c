/// Why a session is over.
package enum SessionEnd: Sendable, Hashable, CustomStringConvertible {
    /// It said so.
    case clientClosed
    /// The WebSocket is gone.
    case transportClosed
    /// Nothing was heard for too long.
    case timedOut
    /// The peer sent what the protocol does not allow; the text names it.
    case protocolError(String)
    /// The client does not fetch what is sent to it.
    case tooMuchWaiting
    case serverStops

    package var description: String {
        switch self {
        case .clientClosed: "closed by the client"
        case .transportClosed: "the connection was lost"
        case .timedOut: "timed out"
        case .protocolError(let problem): "protocol error: \(problem)"
        case .tooMuchWaiting: "too much waits for the client"
        case .serverStops: "the server stops"
        }
    }
}
