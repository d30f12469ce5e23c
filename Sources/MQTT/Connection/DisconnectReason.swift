import CMosquitto
import Glibc
import SystemPackage

/// The evidence of why a connection ended unexpectedly, and its interpretation.
struct DisconnectReason {
    let address: String
    let user: String?
    let version: MQTTProtocolChoice
    let hasTLS: Bool
    let wasReached: Bool
    let isAccepted: Bool
    let refusal: (code: Int32, reason: String?)?
    let ending: (code: Int32, reason: String?)?
    /// The result of the library's loop.
    let result: Int32
    let systemError: Int32
    /// Details beyond the codes: what was malformed, why TLS failed.
    let failureReason: String?
    /// The errors in the library's log.
    let libraryErrors: [String]

    var end: ConnectionEnd {
        if let refusal { return refused(Int(refusal.code), refusal.reason) }
        // From 0x80 on it is an MQTT 5 reason code, below one of the library.
        if let ending, ending.code >= 0x80 {
            let reason = ending.reason ?? String(cString: mosquitto_reason_string(ending.code))
            return .failed(.endedByBroker(address: address, code: Int(ending.code), reason: reason))
        }
        if code == MOSQ_ERR_MALFORMED_PACKET, let failureReason {
            let error = MQTTError.malformed(address: address, what: failureReason)
            return isAccepted ? .failed(error) : .unanswered(error)
        }
        if isAccepted { return .failed(.lost(address: address, reason: reason)) }
        if hasTLS, TLSReason.isUnexpectedEOF(libraryErrors) {
            let reason = "the other side closed the connection during the TLS handshake"
            return .unanswered(.lost(address: address, reason: reason))
        }
        if isTLS {
            return .failed(
                .tls(
                    address: address,
                    reason: failureReason ?? TLSReason.of(libraryErrors) ?? reason
                )
            )
        }
        switch code {
        case MOSQ_ERR_CONN_LOST, MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_NO_CONN:
            let error = MQTTError.lost(address: address, reason: "\(reason), before it answered")
            if code == MOSQ_ERR_CONN_LOST { return .closedUnanswered(error) }
            return wasReached
                ? .unanswered(error) : .failed(.unreachable(address: address, reason: reason))
        case MOSQ_ERR_INVAL:
            return .failed(.configuration("libmosquitto rejects this host or port: \(address)"))
        default: return .failed(.unreachable(address: address, reason: reason))
        }
    }

    private var code: mosq_err_t {
        let code = result == MOSQ_ERR_NO_CONN.rawValue ? ending?.code ?? result : result
        return mosq_err_t(rawValue: code)
    }

    private var reason: String {
        if let failureReason { return failureReason }
        return switch code {
        case MOSQ_ERR_ERRNO where systemError != 0: "\(Errno(rawValue: systemError))"
        case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN: "the other side closed the connection"
        case MOSQ_ERR_KEEPALIVE: "the broker did not answer within the keep-alive time"
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET: "the other side does not speak MQTT"
        default: String(cString: mosquitto_strerror(code.rawValue))
        }
    }

    private var isTLS: Bool {
        guard hasTLS else { return false }
        return code == MOSQ_ERR_TLS || code == MOSQ_ERR_TLS_HANDSHAKE || systemError == EPROTO
            || !libraryErrors.isEmpty
    }

    private func refused(_ code: Int, _ serverReason: String?) -> ConnectionEnd {
        // The library reports a 3.1.1 answer to a CONNECT of version 5 with the code of 5.
        if code == 0x84 || version == .v311 && code == 1 {
            let reason = "it does not speak MQTT \(version == .v5 ? "5" : "3.1.1")"
            return .unsupportedVersion(.refused(address: address, code: code, reason: reason))
        }
        let isAboutUser = version == .v5 ? code == 0x86 || code == 0x87 : code == 4 || code == 5
        if isAboutUser { return .failed(.notAuthorised(user: user, address: address, code: code)) }
        let words =
            version == .v5 ? mosquitto_reason_string(Int32(code)) : mosquitto_connack_string(Int32(code))
        let reason = serverReason ?? words.map { String(cString: $0) } ?? "unknown reason"
        // Server unavailable, server busy: it comes back by itself.
        let isTemporary = version == .v5 ? code == 0x88 || code == 0x89 : code == 3
        if isTemporary { return .failed(.unreachable(address: address, reason: "\(reason) (code \(code))")) }
        return .failed(.refused(address: address, code: code, reason: reason))
    }
}
