package import Controller
package import JSON

/// `B/health`: links, alerts and counters.
package struct HealthMessage: Sendable, Hashable {
    package var uptimeSeconds: Int
    /// By name: whether the link is up.
    package var links: [String: Bool]
    /// The open alerts, by identifier.
    package var alerts: [String: Alert]
    /// Why the broker cannot be reached, if that is known.
    package var brokerProblem: String?
    package var counters: [String: Int]
    /// From receiving a beacon packet to publishing the position.
    package var positionLatency: LatencyHistogram
    package var measurements: HealthMeasurements
    package var at: Instant

    package init(
        uptimeSeconds: Int,
        links: [String: Bool],
        alerts: [String: Alert],
        brokerProblem: String? = nil,
        counters: [String: Int],
        positionLatency: LatencyHistogram = LatencyHistogram(),
        measurements: HealthMeasurements = HealthMeasurements(),
        at: Instant
    ) {
        self.brokerProblem = brokerProblem
        self.positionLatency = positionLatency
        self.measurements = measurements
        self.uptimeSeconds = uptimeSeconds
        self.links = links
        self.alerts = alerts
        self.counters = counters
        self.at = at
    }

    /// Whether every link is up and no alert is open.
    package var isWell: Bool { problems.isEmpty }

    /// What is wrong now, also for `/healthz`.
    package var problems: [HealthProblem] {
        HealthProblem.all(links: links, alerts: alerts, brokerProblem: brokerProblem)
    }

    /// `status` is `ok` if all is well, else `degraded`.
    package var json: JSONValue {
        var members: JSONObject = [
            "status": isWell ? "ok" : "degraded", "alerts": JSONValue(alerts.count),
            "uptime_s": JSONValue(uptimeSeconds),
            "links": .object(JSONObject(links.mapValues { .bool($0) })),
            "counters": .object(JSONObject(counters.mapValues { JSONValue($0) })),
            "ts": .string(at.timestamp),
        ]
        if let median = positionLatency.quantile(0.5), let p99 = positionLatency.quantile(0.99) {
            members["position_ms"] = [
                "count": JSONValue(positionLatency.count),
                "median": .number((median * 1000).rounded(to: 100)),
                "p99": .number((p99 * 1000).rounded(to: 100)),
            ]
        }
        return .object(members.merging(measurements.members) { own, _ in own })
    }
}

extension ControllerState {
    /// `B/alerts`: the number of open alerts, and the most severe one; among equal ones the first.
    package var alertsJSON: JSONValue {
        let grave = alerts.gravestFirst
        guard let worst = grave.first?.value else { return ["count": 0, "ids": []] }
        return [
            "count": JSONValue(grave.count), "severity": .string(worst.severity.rawValue),
            "message": .string(worst.message), "ids": .array(grave.map { .string($0.key) }),
        ]
    }
}

extension Alert {
    /// `B/alert/<id>`.
    package func json(id: String) -> JSONValue {
        [
            "id": .string(id), "severity": .string(severity.rawValue), "message": .string(message),
            "since": .string(since.timestamp),
        ]
    }
}

extension [String: Alert] {
    /// The most severe first; among equal ones the oldest.
    var gravestFirst: [Element] {
        sorted { left, right in
            let (a, b) = (left.value, right.value)
            if a.severity != b.severity { return a.severity == .error }
            if a.since != b.since { return Instant.isEarlier(a.since, b.since) }
            return left.key < right.key
        }
    }
}
