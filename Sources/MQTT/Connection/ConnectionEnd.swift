/// How one connection, or the attempt at one, ended.
enum ConnectionEnd: Sendable, Equatable {
    /// We ended it.
    case closed
    /// The broker does not know the version of the protocol that we spoke.
    case unsupportedVersion(MQTTError)
    /// Somebody took our CONNECT and did not answer it with MQTT; perhaps a broker that does not know the version.
    case unanswered(MQTTError)
    case failed(MQTTError)

    var error: MQTTError? {
        switch self {
        case .closed: nil
        case .unsupportedVersion(let error), .unanswered(let error), .failed(let error): error
        }
    }
}

/// Which version the next connection speaks.
struct VersionChoice {
    let wish: MQTTProtocolChoice
    private(set) var next: MQTTProtocolChoice

    init(_ wish: MQTTProtocolChoice) {
        self.wish = wish
        next = wish == .v311 ? .v311 : .v5
    }

    /// - Returns: True if the next attempt should follow at once.
    mutating func ended(_ end: ConnectionEnd) -> Bool {
        guard wish == .automatic else { return false }
        let spoken = next
        next = .v5
        guard spoken == .v5 else { return false }
        switch end {
        case .unsupportedVersion:
            next = .v311
            return true
        case .unanswered:
            next = .v311
            return false
        case .closed, .failed:
            return false
        }
    }
}
