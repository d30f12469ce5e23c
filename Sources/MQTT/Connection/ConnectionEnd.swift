/// How a connection, or the attempt at one, ended.
enum ConnectionEnd: Sendable, Equatable {
    /// Ended by this client.
    case closed
    /// The broker does not support the protocol version.
    case unsupportedVersion(MQTTError)
    /// The peer did not answer CONNECT with MQTT; possibly a broker that does not support the version.
    case unanswered(MQTTError)
    /// The peer read CONNECT and closed the connection without an answer: so a broker of 3.1.1 refuses a will.
    case closedUnanswered(MQTTError)
    case failed(MQTTError)

    var error: MQTTError? {
        switch self {
        case .closed: nil
        case .unsupportedVersion(let error), .unanswered(let error), .closedUnanswered(let error),
            .failed(let error):
            error
        }
    }
}

/// Selects the protocol version of the next connection.
struct VersionChoice {
    let requested: MQTTProtocolChoice
    private(set) var next: MQTTProtocolChoice

    init(_ requested: MQTTProtocolChoice) {
        self.requested = requested
        next = requested == .v311 ? .v311 : .v5
    }

    /// Whether no other version is tried after this one.
    var isLast: Bool { requested != .automatic || next == .v311 }

    /// - Returns: Whether to make the next attempt at once.
    mutating func ended(_ end: ConnectionEnd) -> Bool {
        guard requested == .automatic else { return false }
        let attempted = next
        next = .v5
        guard attempted == .v5 else { return false }
        switch end {
        case .unsupportedVersion:
            next = .v311
            return true
        case .unanswered, .closedUnanswered:
            next = .v311
            return false
        case .closed, .failed:
            return false
        }
    }
}
