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

/// How a link ended, as far as it matters to the publications that were under way.
package enum MQTTLinkEnd: Sendable, Equatable {
    /// Without a reason, or with one that a publication may have caused; the code is that of MQTT 5, 0 for none.
    case unexplained(code: Int, reason: String)
    /// By us, or for a reason that has nothing to do with a publication.
    case explained
}

extension ConnectionEnd {
    var linkEnd: MQTTLinkEnd {
        switch error {
        case .lost(_, let reason): .unexplained(code: 0, reason: reason)
        case .endedByBroker(_, let code, let reason) where Self.aboutPublications.contains(code):
            .unexplained(code: code, reason: reason)
        case nil, .unreachable, .tls, .notAuthorised, .refused, .noAnswer, .malformed, .endedByBroker,
            .unacknowledged, .reconfigured, .configuration:
            .explained
        }
    }

    /// The codes of DISCONNECT that a publication may cause: none that another client, an administrator, the keep-alive,
    /// the load or the shutdown of the broker causes.
    /// - Source: MQTT 5.0, 3.14.2.1: unspecified, malformed, protocol error, implementation specific, not authorised,
    ///   topic name, topic alias, packet too large, payload format, retain and QoS not supported.
    private static let aboutPublications: Set<Int> = [
        0x80, 0x81, 0x82, 0x83, 0x87, 0x90, 0x94, 0x95, 0x99, 0x9A, 0x9B,
    ]
}
