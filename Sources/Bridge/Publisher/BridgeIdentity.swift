package import Controller
import Flare
import MQTT
import Messages

/// Who is speaking on the topics.
package struct BridgeIdentity: Sendable {
    /// Names this run.
    package let epoch: String
    package let started: Instant
    /// The roots of the topics of earlier runs: what they have left there is cleared.
    let formerRoots: [String]
    /// The name of the last run that spoke; `nil` when that is not known.
    let formerEpoch: String?
    /// This installation's own id.
    let installation: String
    /// The topics on which Home Assistant was told of devices in earlier runs, with their components.
    var announced: [String: String]

    package init(
        epoch: String,
        started: Instant,
        formerRoots: [String] = [],
        formerEpoch: String? = nil,
        installation: String = "",
        announced: [String: String] = [:]
    ) {
        self.epoch = epoch
        self.started = started
        self.formerRoots = formerRoots
        self.formerEpoch = formerEpoch
        self.installation = installation
        self.announced = announced
    }

    func info(_ configuration: BridgeConfiguration) -> JSONValue {
        InfoMessage(
            version: configuration.version,
            node: configuration.node,
            started: started,
            epoch: epoch,
            flareMode: configuration.flareMode,
            flareURL: configuration.flareURL,
            features: configuration.features
        ).json
    }

    /// - Parameters:
    ///   - links: Whether the links beside that to the broker are up, by name.
    ///   - alerts: How many are open.
    ///   - counters: What others have counted.
    func health(
        at now: Instant,
        links: [String: Bool],
        alerts: Int,
        broker: MQTTCounters,
        droppedEvents: Int,
        positionLatency: LatencyHistogram,
        counters: [String: Int]
    ) -> JSONValue {
        let own = [
            "mqtt_sent": broker.sent, "mqtt_received": broker.received, "mqtt_dropped": broker.dropped,
            "mqtt_lost": broker.lost, "mqtt_connects": broker.connects, "events_dropped": droppedEvents,
        ]
        return HealthMessage(
            uptimeSeconds: Int(now.milliseconds(since: started) / 1000),
            links: links.merging(["mqtt": true]) { $1 },
            alerts: alerts,
            counters: counters.merging(own) { $1 },
            positionLatency: HealthMessage.Latency(positionLatency),
            at: now
        ).json
    }
}

extension HealthMessage.Latency {
    /// `nil` before the first.
    fileprivate init?(_ histogram: LatencyHistogram) {
        guard let median = histogram.quantile(0.5), let p99 = histogram.quantile(0.99) else { return nil }
        self.init(count: histogram.count, median: median * 1000, p99: p99 * 1000)
    }
}
