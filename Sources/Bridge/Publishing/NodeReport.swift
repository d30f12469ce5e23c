package import Controller
import JSON
package import MQTT
package import Messages

/// What a node reports of itself: `info`, `health`, and the problems shown by a health check.
package struct NodeReport: Sendable {
    /// Figures of the health message that are read when it is made.
    package struct Figures: Sendable {
        package var broker = MQTTCounters()
        package var droppedMessages = 0
        package var positionLatency = LatencyHistogram()
        /// Counters of other parts, by name.
        package var counters: [String: Int] = [:]
        package var measurements = HealthMeasurements()

        package init() {}
    }

    private let topics: Topics
    private var info: InfoMessage
    /// The daemon's links apart from that to the broker: whether each is up, by name.
    package private(set) var links = ["flare": false]
    private var alerts: [String: Alert] = [:]
    /// The interval of the health messages.
    private var healthSeconds: Int
    /// Why there is no link to the broker, if that is known.
    package var brokerProblem: String?

    package init(_ configuration: BridgeConfiguration, _ identity: BridgeIdentity) {
        topics = Topics(root: configuration.root)
        healthSeconds = configuration.healthSeconds
        for link in configuration.links { links[link] = false }
        info = InfoMessage(
            version: configuration.version,
            node: configuration.node,
            started: identity.started,
            epoch: identity.epoch,
            installation: identity.installation,
            flareMode: configuration.flareMode,
            flareURL: configuration.flareURL,
            features: configuration.features,
            application: configuration.application,
            place: configuration.place
        )
    }

    /// Follows another configuration from now on.
    package mutating func use(_ configuration: BridgeConfiguration) {
        (info.features, info.application) = (configuration.features, configuration.application)
        healthSeconds = configuration.healthSeconds
    }

    package mutating func setFlareURL(_ url: String) { info.flareURL = url }

    /// - Returns: Whether the health message has changed.
    package mutating func observe(_ snapshot: StateSnapshot) -> Bool {
        let before = alerts.count
        alerts = snapshot.state.alerts
        let hasFlareChanged = setLink("flare", isUp: snapshot.state.isLinkUp)
        return hasFlareChanged || alerts.count != before || snapshot.changes.contains(.link)
    }

    /// - Parameter isUp: `nil` when the link no longer exists.
    /// - Returns: Whether the health message has changed.
    package mutating func setLink(_ name: String, isUp: Bool?) -> Bool {
        guard links[name] != isUp else { return false }
        links[name] = isUp
        return true
    }

    /// The present problems; the same as those of ``health(_:isConnected:at:)``, without its counters.
    package func problems(isConnected: Bool) -> [HealthProblem] {
        HealthProblem.all(
            links: allLinks(isConnected: isConnected),
            alerts: alerts,
            brokerProblem: brokerProblem
        )
    }

    private func allLinks(isConnected: Bool) -> [String: Bool] {
        links.merging(["mqtt": isConnected]) { $1 }
    }

    package var infoMessage: MQTTMessage {
        MQTTMessage(topic: topics.info, payload: info.json.bytes, qos: .atLeastOnce, isRetained: true)
    }

    /// - Parameter isConnected: Whether the link to the broker is up.
    package func health(_ figures: Figures, isConnected: Bool, at now: Instant) -> HealthMessage {
        let broker = figures.broker
        let own = [
            "mqtt_sent": broker.sent, "mqtt_received": broker.received, "mqtt_dropped": broker.dropped,
            "mqtt_refused": broker.refusedByBroker, "mqtt_lost": broker.lost,
            "mqtt_connects": broker.connects, "mqtt_failures": broker.failures,
            "mqtt_queued": broker.queued,
            "events_dropped": figures.droppedMessages,
        ]
        return HealthMessage(
            uptimeSeconds: Int(now.milliseconds(since: info.started) / 1000),
            links: allLinks(isConnected: isConnected),
            alerts: alerts,
            brokerProblem: brokerProblem,
            counters: figures.counters.merging(own) { $1 },
            positionLatency: figures.positionLatency,
            measurements: figures.measurements,
            at: now
        )
    }

    /// The health as it is on the broker, which only a link brings there.
    package func healthMessage(_ figures: Figures, at now: Instant) -> MQTTMessage {
        let health = health(figures, isConnected: true, at: now)
        var properties = MQTTProperties()
        // Two may be late or lost.
        properties.messageExpirySeconds = UInt32(clamping: max(180, 3 * healthSeconds))
        return MQTTMessage(
            topic: topics.health,
            payload: health.json.bytes,
            qos: .atMostOnce,
            isRetained: true,
            properties: properties
        )
    }
}
