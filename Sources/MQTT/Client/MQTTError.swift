/// Why there is no link; each is followed by another attempt.
package enum MQTTError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The host name cannot be resolved, or the address does not answer.
    case unreachable(address: String, reason: String)
    /// A certificate, a key or a name is not valid.
    case tls(address: String, reason: String)
    /// The broker refused user or password. The code is that of CONNACK: 4 or 5 (3.1.1), 0x86 or 0x87 (5).
    case notAuthorised(user: String?, address: String, code: Int)
    /// The broker refused the connection for another reason; the code is that of CONNACK.
    case refused(address: String, code: Int, reason: String)
    /// The peer does not speak MQTT, or does not answer in time.
    case noAnswer(address: String, seconds: Int)
    /// A malformed packet was received; nothing in it was executed.
    case malformed(address: String, what: String)
    /// The connection was closed without a reason.
    case lost(address: String, reason: String)
    /// The broker ended the link with a reason code of MQTT 5, for instance 0x8E: another client uses our id.
    case endedByBroker(address: String, code: Int, reason: String)
    /// This client ended the link: the broker answered, and acknowledged no publication for so long.
    case unacknowledged(address: String, seconds: Int)
    /// This client ended the link, and connects with another configuration.
    case reconfigured(address: String)
    /// A configuration value with which connecting is impossible.
    case configuration(String)

    package var description: String {
        switch self {
        case .unreachable(let address, let reason): "cannot reach the broker at \(address): \(reason)"
        case .tls(let address, let reason): "no TLS with the broker at \(address): \(reason)"
        case .notAuthorised(let user?, let address, let code):
            "the broker at \(address) refuses user \"\(user)\" (code \(code)): check the user name and the password"
        case .notAuthorised(nil, let address, let code):
            """
            the broker at \(address) refuses us without a user name (code \(code)): set a user name and a password in \
            mqtt.username and mqtt.password_file, or TRILATERAL_MQTT_USERNAME and TRILATERAL_MQTT_PASSWORD_FILE
            """
        case .refused(let address, let code, let reason):
            "the broker at \(address) refuses the connection: \(reason) (code \(code))"
        case .noAnswer(let address, let seconds):
            "\(address) accepts connections, but does not answer as an MQTT broker within \(seconds) s"
        case .malformed(let address, let what):
            "the broker at \(address) sent an invalid MQTT packet: \(what)"
        case .lost(let address, let reason): "the link to the broker at \(address) was lost: \(reason)"
        case .endedByBroker(let address, let code, let reason):
            "the broker at \(address) ended the link: \(reason) (code \(code))"
        case .unacknowledged(let address, let seconds):
            """
            the broker at \(address) answers, but has acknowledged no message for \(seconds) s: connecting again, to \
            send again what it has not acknowledged. If this repeats, raise max_queued_messages in mosquitto.conf: \
            mosquitto loses acknowledgements when more packets than that wait for a client
            """
        case .reconfigured(let address):
            "the link to the broker at \(address) was closed: it has another configuration"
        case .configuration(let what): what
        }
    }
}
