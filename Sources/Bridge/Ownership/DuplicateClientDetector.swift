package import Controller
package import MQTT

/// Another client of the broker with our client id, recognised by how links end.
///
/// The broker ends our link when the other client connects, and the other client's when we do. With MQTT 5 it says so.
/// With 3.1.1 it only closes the connection; several links in a row that end soon after they were made mean the same.
/// - Source: MQTT 5.0, 3.1.4 (reason code 0x8E); MQTT 3.1.1, 3.1.4.
package struct DuplicateClientDetector: Sendable {
    package static let alert = "duplicate-client"
    /// For links that only end while messages wait for the broker.
    package static let closings = "broker-link"

    /// How many short links in a row are an alert.
    private static let enough = 3

    private let clientID: String
    /// Longer links are not short: the other client pauses for a shorter time.
    private let steadyMilliseconds: Int64
    private var connectedAt: Int64?
    private var shortLinks = 0
    /// Whether one of them ended while no message waited for the broker: then no message was the cause.
    private var wasIdle = false
    private var isTakenOver = false
    /// The alert that is open.
    private var open: String?

    /// - Parameter clientID: Empty for a random one, which no other client can have.
    package init(clientID: String, steadyMilliseconds: Int64) {
        (self.clientID, self.steadyMilliseconds) = (clientID, steadyMilliseconds)
    }

    /// Whether another client with our id has shown itself, or may have.
    package var isContested: Bool { isTakenOver || shortLinks > 1 }

    /// - Parameter now: Steady milliseconds.
    package mutating func connected(at now: Int64) { connectedAt = now }

    /// A link was lost, or an attempt failed.
    ///
    /// - Parameter isIdle: Whether the broker had confirmed every message.
    package mutating func disconnected(_ error: MQTTError, isIdle: Bool, at now: Int64) -> [ControllerEvent] {
        let wasShort = connectedAt.map { now - $0 < steadyMilliseconds }
        connectedAt = nil
        switch (error, wasShort) {
        case (.endedByBroker(_, 0x8E, _), _): isTakenOver = true
        case (.lost, true?):
            shortLinks += 1
            wasIdle = wasIdle || isIdle
        // An attempt that failed after a loss: the end of the link before it counts.
        case (.lost, nil), (.reconfigured, _): return []
        // Else it is the broker or the network that fails.
        default: (shortLinks, wasIdle) = (0, false)
        }
        guard isTakenOver || shortLinks >= Self.enough else { return [] }
        return (isTakenOver || wasIdle) && !clientID.isEmpty
            ? replaceAlert(by: Self.alert, .alertRaised(Self.alert, .error, message: message))
            : replaceAlert(by: Self.closings, .alertRaised(Self.closings, .error, message: closings))
    }

    private mutating func replaceAlert(by alert: String, _ event: ControllerEvent) -> [ControllerEvent] {
        defer { open = alert }
        return (open.flatMap { $0 == alert ? nil : [.alertCleared($0)] } ?? []) + [event]
    }

    /// Ends the alert once a link has lasted for so long that the other client must have gone.
    package mutating func check(at now: Int64) -> [ControllerEvent] {
        guard let connectedAt, now - connectedAt >= steadyMilliseconds else { return [] }
        return end()
    }

    /// Forgets the other client.
    package mutating func end() -> [ControllerEvent] {
        (shortLinks, wasIdle, isTakenOver) = (0, false, false)
        defer { open = nil }
        return open.map { [.alertCleared($0)] } ?? []
    }

    private var closings: String {
        """
        The broker closed the last \(shortLinks) links soon after they were made, without a reason, each while messages \
        waited for it. Some brokers do so with messages that are too large or not allowed: look at its log, let it accept \
        larger ones (max_packet_size of mosquitto), and give this user the rights that `trilateral acl` prints.
        """
    }

    private var message: String {
        let advice = """
            Give each daemon a mqtt.node of its own, and no mqtt.client_id; on a copied machine remove the state folder too.
            """
        return isTakenOver
            ? """
            Another client uses the MQTT client id "\(clientID)" too: the broker disconnects each when the other connects. \
            \(advice)
            """
            : """
            The broker closed the last \(shortLinks) links soon after they were made, without a reason. Probably another \
            client uses the MQTT client id "\(clientID)" too. \(advice)
            """
    }
}
