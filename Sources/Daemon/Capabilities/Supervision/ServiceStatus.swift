/// The state of the daemon in one line.
package struct ServiceStatus: Sendable, Hashable {
    package var isBrokerConnected = false
    package var isFlareConnected = false
    /// The identifiers of the open alerts, in order.
    package var alerts: [String] = []

    /// How many alerts it names.
    private static let most = 5

    package init() {}

    package var line: String {
        let links = [
            "broker \(Self.word(isBrokerConnected))", "Flare server \(Self.word(isFlareConnected))",
        ]
        return (links + [alertText]).joined(separator: ", ")
    }

    private static func word(_ isConnected: Bool) -> String { isConnected ? "connected" : "not connected" }

    private var alertText: String {
        guard !alerts.isEmpty else { return "no alerts" }
        let named = alerts.prefix(Self.most).joined(separator: ", ")
        let more = alerts.count > Self.most ? " and \(alerts.count - Self.most) more" : ""
        return (alerts.count == 1 ? "1 alert: " : "\(alerts.count) alerts: ") + named + more
    }
}
