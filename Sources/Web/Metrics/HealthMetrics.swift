package import Messages

/// The metrics of a node: its health message, with units in the names.
package enum HealthMetrics {
    /// What a counter of the health message is.
    private struct Entry {
        let name: String
        let kind: Metric.Kind
        let help: String

        init(_ name: String, _ help: String, kind: Metric.Kind = .counter) {
            self.name = "trilateral_" + name + (kind == .counter ? "_total" : "")
            (self.kind, self.help) = (kind, help)
        }
    }

    private static let entries: [String: Entry] = [
        "mqtt_sent": Entry("mqtt_messages_sent", "Messages sent to the broker."),
        "mqtt_received": Entry("mqtt_messages_received", "Messages received from the broker."),
        "mqtt_dropped": Entry("mqtt_messages_dropped", "Messages not sent: no link, or too many waiting."),
        "mqtt_lost": Entry(
            "mqtt_messages_lost",
            "Received messages that were lost because reading them was too slow."
        ),
        "mqtt_connects": Entry("mqtt_connects", "Connections made to the broker."),
        "events_dropped": Entry(
            "events_dropped",
            "Events and answers dropped because there was no link to the broker."
        ),
        "log_lines_dropped": Entry(
            "log_lines_dropped",
            "Log lines dropped because nobody read them in time."
        ),
        "adverts_heard": Entry(
            "bluetooth_adverts_heard",
            "Bluetooth advertising packets received, of any device."
        ),
        "adverts_damaged": Entry(
            "bluetooth_adverts_damaged",
            "Bluetooth advertising packets that could not be read."
        ),
        "beacons_heard": Entry(
            "beacon_packets_heard",
            "Packets received from beacons, of this place or others."
        ),
        "readings_dropped": Entry(
            "readings_dropped",
            "Readings dropped because estimating positions was too slow."
        ),
        "readings_refused": Entry("readings_refused", "Readings from the broker that were refused."),
        "sign_ins_refused": Entry("sign_ins_refused", "Wrong passwords of the kiosk page and the API."),
        "presence_refused": Entry("presence_refused", "Presence messages of displays that were refused."),
        "web_streams": Entry("web_streams", "Event streams that are open.", kind: .gauge),
        "web_streams_refused": Entry("web_streams_refused", "Event streams that were refused."),
        "web_commands": Entry("web_commands", "Commands over HTTP."),
        "web_events": Entry("web_events", "Events for the event streams."),
        "log_rows_dropped": Entry(
            "log_rows_dropped",
            "Rows of the command log that could not be kept."
        ),
        "proxy_headers_ignored": Entry(
            "proxy_headers_ignored",
            "Headers that name a user and came from another peer than the proxy."
        ),
        "resolver_connections": Entry("resolver_connections", "Connections taken by the resolver."),
        "resolver_names": Entry("resolver_names", "Names asked of the resolver."),
        "resolver_unknown": Entry("resolver_unknown", "Names asked of the resolver that it does not know."),
        "resolver_updates": Entry("resolver_updates", "Addresses told to the resolver."),
        "resolver_changes": Entry("resolver_changes", "Addresses told to the resolver that were other ones."),
        "resolver_refused": Entry("resolver_refused", "Messages and connections that the resolver refused."),
        "station_announced": Entry("station_announced", "Addresses announced to the resolver."),
        "station_failed": Entry("station_failed", "Announcements that failed."),
        "lamp_messages_ignored": Entry("lamp_messages_ignored", "Messages of real lamps that were ignored."),
    ]

    /// Whether the metric of a counter has a name and a description of its own.
    package static func knows(_ counter: String) -> Bool { entries[counter] != nil }

    package static func metrics(of health: HealthMessage, version: String) -> [Metric] {
        let general = [
            Metric(
                "trilateral_build_info",
                .gauge,
                help: "The program's version; always 1.",
                [Metric.Sample(1, labels: [.init("version", version)])]
            ),
            Metric(
                "trilateral_uptime_seconds",
                .gauge,
                help: "Time since the start.",
                Double(health.uptimeSeconds)
            ),
            Metric(
                "trilateral_healthy",
                .gauge,
                help: "1 while all links are up and no alert is open.",
                health.isWell ? 1 : 0
            ),
            Metric(
                "trilateral_alerts_open",
                .gauge,
                help: "Alerts that are open.",
                Double(health.alerts.count)
            ),
            Metric(
                "trilateral_link_up",
                .gauge,
                help: "1 while a link is up.",
                health.links.sorted { $0.key < $1.key }.map { link in
                    Metric.Sample(link.value ? 1 : 0, labels: [.init("link", link.key)])
                }
            ),
        ]
        let counters = health.counters.sorted { $0.key < $1.key }.map { counter in
            let entry =
                entries[counter.key] ?? Entry(counter.key, "A figure of the health message.", kind: .untyped)
            return Metric(entry.name, entry.kind, help: entry.help, Double(counter.value))
        }
        return general + counters + [latency(health.positionLatency)]
    }

    private static func latency(_ latency: HealthMessage.Latency?) -> Metric {
        Metric(
            histogram: "trilateral_position_latency_seconds",
            help: "From receiving a beacon packet to publishing the position estimated from it.",
            buckets: latency?.buckets.map { ($0.limit, $0.count) } ?? [],
            sum: latency?.totalSeconds ?? 0,
            count: latency?.count ?? 0
        )
    }
}
