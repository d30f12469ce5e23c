package import Controller
package import Flare

/// `B/health`: whether all links are up, and what was counted.
package struct HealthMessage: Sendable, Hashable {
    package var uptimeSeconds: Int
    /// By name: whether the link is up.
    package var links: [String: Bool]
    package var counters: [String: Int]
    package var at: Moment

    package init(uptimeSeconds: Int, links: [String: Bool], counters: [String: Int], at: Moment) {
        self.uptimeSeconds = uptimeSeconds
        self.links = links
        self.counters = counters
        self.at = at
    }

    /// `status` is `ok` while every link is up, else `degraded`.
    package var json: JSONValue {
        [
            "status": links.values.allSatisfy { $0 } ? "ok" : "degraded",
            "uptime_s": JSONValue(uptimeSeconds),
            "links": .object(links.mapValues { .bool($0) }),
            "counters": .object(counters.mapValues { JSONValue($0) }), "ts": .string(at.timestamp),
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
