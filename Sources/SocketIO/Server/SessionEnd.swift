/// Why a session ended.
package enum SessionEnd: Sendable, Hashable, CustomStringConvertible {
    /// The client closed it.
    case clientClosed
    /// The WebSocket was closed.
    case transportClosed
    /// The client was silent for too long.
    case timedOut
    /// The client violated the protocol; the text says how.
    case protocolError(String)
    /// The client does not fetch its packets.
    case tooMuchWaiting
    case serverStops
    /// Whoever opened it may not use the server any more.
    case notIdentified

    package var description: String {
        switch self {
        case .clientClosed: "closed by the client"
        case .transportClosed: "the connection was lost"
        case .timedOut: "timed out"
        case .protocolError(let problem): "protocol error: \(problem)"
        case .tooMuchWaiting: "the client does not fetch its data fast enough"
        case .serverStops: "the server is stopping"
        case .notIdentified: "nobody is identified any more"
        }
    }
}
