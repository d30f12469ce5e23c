package import Controller
package import MQTT

/// Another client of the broker with our client id, recognised by how links end.
///
/// The broker ends our link when the other client connects, and the other client's when we do. With MQTT 5 it says so.
/// With 3.1.1 it only closes the connection; several links in a row that end soon after they were made mean the same.
/// - Source: MQTT 5.0, 3.1.4 (reason code 0x8E); MQTT 3.1.1, 3.1.4.
package struct DuplicateClientDetector: Sendable {
    package static let alert = "duplicate-client"

    /// How many short links in a row are an alert.
    private static let enough = 3

    private let clientID: String
    /// Longer links are not short: the other client pauses for a shorter time.
    private let steadyMilliseconds: Int64
    private var connectedAt: Int64?
    private var shortLinks = 0
    private var isTakenOver = false
    private var hasAlert = false

    /// - Parameter clientID: Empty for a random one, which no other client can have.
    package init(clientID: String, steadyMilliseconds: Int64) {
        (self.clientID, self.steadyMilliseconds) = (clientID, steadyMilliseconds)
    }

    /// Whether another client with our id has shown itself, or may have.
    package var isContested: Bool { isTakenOver || shortLinks > 1 }

    /// - Parameter now: Steady milliseconds.
    package mutating func connected(at now: Int64) { connectedAt = now }

    /// A link was lost, or an attempt failed.
    package mutating func disconnected(_ error: MQTTError, at now: Int64) -> [ControllerEvent] {
        let wasShort = connectedAt.map { now - $0 < steadyMilliseconds }
        connectedAt = nil
        switch (error, wasShort) {
        case (.endedByBroker(_, 0x8E, _), _): isTakenOver = true
        case (.lost, true?): shortLinks += 1
        // An attempt that failed after a loss: the end of the link before it counts.
        case (.lost, nil), (.reconfigured, _): return []
        // Else it is the broker or the network that fails.
        default: shortLinks = 0
        }
        guard !clientID.isEmpty, isTakenOver || shortLinks >= Self.enough else { return [] }
        hasAlert = true
        return [.alertRaised(Self.alert, .error, message: message)]
    }

    /// Ends the alert once a link has lasted for so long that the other client must have gone.
    package mutating func check(at now: Int64) -> [ControllerEvent] {
        guard let connectedAt, now - connectedAt >= steadyMilliseconds else { return [] }
        return end()
    }

    /// Forgets the other client.
    package mutating func end() -> [ControllerEvent] {
        (shortLinks, isTakenOver) = (0, false)
        guard hasAlert else { return [] }
        hasAlert = false
        return [.alertCleared(Self.alert)]
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
            client uses the MQTT client id "\(clientID)" too. \(advice) Brokers also close the links of clients \
            whose messages are too large or not allowed.
            """
    }
}
