import Controller
package import Messages
import Things

/// The metrics of a node: its health message, with units in the names.
package enum HealthMetrics {
    /// What the counters of the health message are.
    private static let descriptions = [
        "mqtt_sent": "Messages sent to the broker.",
        "mqtt_received": "Messages received from the broker.",
        "mqtt_dropped": "Messages not sent: no link, or too many waiting.",
        "mqtt_refused": "Messages that the broker refused, or for which it ended links.",
        "mqtt_lost": "Received messages that were lost because reading them was too slow.",
        "mqtt_connects": "Connections made to the broker.",
        "mqtt_failures": "Attempts to connect to the broker, and connections to it, that failed.",
        "mqtt_queued": "Messages that the broker has not acknowledged yet.",
        "events_dropped": "Events and answers dropped because there was no link to the broker.",
        "log_lines_dropped": "Log lines dropped because nobody read them in time.",
        "adverts_heard": "Bluetooth advertising packets received, of any device.",
        "adverts_damaged": "Bluetooth advertising packets that could not be read.",
        "beacons_heard": "Packets received from beacons, of this place or others.",
        "readings_dropped": "Readings dropped because estimating positions was too slow.",
        "readings_refused": "Readings from the broker that were refused.",
        "receiver_reports": "Reports about devices that this machine heard as a receiver.",
        "receiver_failed": "Reports of the receiver that were dropped without a link to the broker.",
        "receiver_dropped": "Packets that the receiver dropped because it heard too many devices at once.",
        "sign_ins_refused": "Wrong passwords of the kiosk page and the API.",
        "presence_refused": "Presence messages of displays that were refused.",
        "web_streams": "Event streams that are open.",
        "web_streams_refused": "Event streams that were refused.",
        "web_commands": "Commands over HTTP.",
        "web_events": "Events for the event streams.",
        "log_rows_dropped": "Rows of the command log that could not be kept.",
        "proxy_headers_ignored": "Headers that name a user and came from another peer than the proxy.",
        "resolver_connections": "Connections taken by the resolver.",
        "resolver_names": "Names asked of the resolver.",
        "resolver_unknown": "Names asked of the resolver that it does not know.",
        "resolver_updates": "Addresses told to the resolver.",
        "resolver_changes": "Addresses told to the resolver that were other ones.",
        "resolver_refused": "Messages and connections that the resolver refused.",
        "station_announced": "Addresses announced to the resolver.",
        "station_failed": "Announcements that failed.",
        "lamp_messages_ignored": "Messages of real lamps that were ignored.",
        "setup_refused": "Messages about beacons to be set up that were refused.",
        "flare_address_changes": "Other addresses of the Flare server that were learnt from a resolver.",
    ]

    /// The counters of the health message that have a description.
    package static var counters: Set<String> { Set(descriptions.keys) }

    /// The names of those that have another one here, without prefix and ending.
    private static let names = [
        "mqtt_sent": "mqtt_messages_sent", "mqtt_received": "mqtt_messages_received",
        "mqtt_dropped": "mqtt_messages_dropped", "mqtt_refused": "mqtt_messages_refused",
        "mqtt_lost": "mqtt_messages_lost",
        "adverts_heard": "bluetooth_adverts_heard", "adverts_damaged": "bluetooth_adverts_damaged",
        "beacons_heard": "beacon_packets_heard",
    ]

    /// Those that can fall.
    private static let gauges: Set = ["web_streams", "mqtt_queued"]

    package static func metrics(of health: HealthMessage, version: String) -> [Metric] {
        let links = health.links.sorted { $0.key < $1.key }.map { link in
            Metric.Sample(link.value ? 1 : 0, labels: [.init("link", link.key)])
        }
        let general: [(name: String, help: String, samples: [Metric.Sample])] = [
            (
                "build_info", "The program's version; always 1.",
                [.init(1, labels: [.init("version", version)])]
            ),
            ("uptime_seconds", "Time since the start.", [.init(Double(health.uptimeSeconds))]),
            ("healthy", "1 while all links are up and no alert is open.", [.init(health.isWell ? 1 : 0)]),
            ("alerts_open", "Alerts that are open.", [.init(Double(health.alerts.count))]),
            ("link_up", "1 while a link is up.", links),
        ]
        let counters = health.counters.sorted { $0.key < $1.key }.map { counter in
            let value = Double(counter.value)
            let name = "trilateral_\(names[counter.key] ?? counter.key)"
            guard let help = descriptions[counter.key] else {
                return Metric(name, .untyped, help: "A figure of the health message.", value)
            }
            return gauges.contains(counter.key)
                ? Metric(name, .gauge, help: help, value)
                : Metric("\(name)_total", .counter, help: help, value)
        }
        return general.map { Metric("trilateral_\($0.name)", .gauge, help: $0.help, $0.samples) } + counters
            + [latency(health.positionLatency)] + measurements(health.measurements)
    }

    private static func measurements(_ measured: HealthMeasurements) -> [Metric] {
        func samples(_ values: [String: Int], by label: String) -> [Metric.Sample] {
            values.sorted { $0.key < $1.key }.map { .init(Double($0.value), labels: [.init(label, $0.key)]) }
        }
        let commands = measured.commands
        var answers = Dictionary(commands.refused.map { ($0.key.rawValue, $0.value) }) { $1 }
        answers["ok"] = commands.accepted
        return [
            Metric(
                "trilateral_command_answers_total",
                .counter,
                help: "Answers to commands, by their code; ok for those that were carried out.",
                samples(answers, by: "code")
            ),
            Metric(
                histogram: "trilateral_command_latency_seconds",
                help: "From receiving a command to its answer.",
                buckets: commands.count > 0 ? commands.buckets : [],
                sum: Double(commands.totalMilliseconds) / 1000,
                count: commands.count
            ),
            Metric(
                "trilateral_last_packet_age_seconds",
                .gauge,
                help: "Time since the last packet of a sensor.",
                samples(measured.lastPacketSeconds, by: "sensor")
            ),
            Metric(
                "trilateral_database_size_bytes",
                .gauge,
                help: "Sizes of the databases.",
                samples(measured.databaseBytes, by: "database")
            ),
            Metric(
                "trilateral_memory_bytes",
                .gauge,
                help: "The memory of the process; anonymous is the part that no file could give back.",
                samples(measured.memoryBytes, by: "kind")
            ),
            Metric(
                "trilateral_last_backup_timestamp_seconds",
                .gauge,
                help: "When the last backup was finished, since 1970.",
                [measured.lastBackup].compactMap(\.self).map { Metric.Sample(Double($0)) }
            ),
        ].filter { !$0.samples.isEmpty }
    }

    /// The names of all metrics that a node can have, as monitors ask for them; those of a histogram with their endings.
    package static var allNames: Set<String> {
        let counters = descriptions.keys.map { counter in
            "trilateral_\(names[counter] ?? counter)" + (gauges.contains(counter) ? "" : "_total")
        }
        let general = [
            "build_info", "uptime_seconds", "healthy", "alerts_open", "link_up", "command_answers_total",
            "last_packet_age_seconds", "database_size_bytes", "memory_bytes", "last_backup_timestamp_seconds",
        ]
        let histograms = ["position_latency_seconds", "command_latency_seconds"].flatMap { name in
            ["_bucket", "_sum", "_count"].map { name + $0 }
        }
        return Set(counters + (general + histograms).map { "trilateral_\($0)" })
    }

    private static func latency(_ latency: LatencyHistogram) -> Metric {
        Metric(
            histogram: "trilateral_position_latency_seconds",
            help: "From receiving a beacon packet to publishing the position estimated from it.",
            buckets: latency.count > 0 ? latency.buckets : [],
            sum: latency.sum,
            count: latency.count
        )
    }
}
