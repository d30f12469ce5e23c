import Controller
import JSON
import Messages
import TestSupport
import Testing
import Things
import Web

@Suite
struct MetricsTests {
    private func health(_ change: (inout HealthMessage) -> Void = { _ in }) -> HealthMessage {
        var health = HealthMessage(
            uptimeSeconds: 90,
            links: ["mqtt": true, "flare": false],
            alerts: ["a", "b"].reduce(into: [:]) {
                let start = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
                $0[$1] = Alert(severity: .warning, message: $1, since: start)
            },
            counters: ["mqtt_sent": 12, "beacons_heard": 3],
            at: Instant(wallMilliseconds: 0, steadyMilliseconds: 0)
        )
        change(&health)
        return health
    }

    private func parsed(_ health: HealthMessage) throws -> [ParsedMetrics.Family] {
        let metrics = HealthMetrics.metrics(of: health, version: "1.2.3")
        return try ParsedMetrics(MetricsText.text(of: metrics)).families
    }

    @Test func `the health message becomes metrics with units and types`() throws {
        let families = try parsed(health())
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
        }
        #expect(value("trilateral_build_info", ["version": "1.2.3"]) == 1)
        #expect(value("trilateral_uptime_seconds") == 90)
        #expect(value("trilateral_healthy") == 0)
        #expect(value("trilateral_alerts_open") == 2)
        #expect(value("trilateral_link_up", ["link": "mqtt"]) == 1)
        #expect(value("trilateral_link_up", ["link": "flare"]) == 0)
        #expect(value("trilateral_mqtt_messages_sent_total") == 12)
        #expect(value("trilateral_beacon_packets_heard_total") == 3)
        #expect(value("trilateral_position_latency_seconds_count") == 0)
        let kinds = Dictionary(families.map { ($0.name, $0.type) }) { first, _ in first }
        #expect(kinds["trilateral_mqtt_messages_sent_total"] == "counter")
        #expect(kinds["trilateral_uptime_seconds"] == "gauge")
        #expect(kinds["trilateral_position_latency_seconds"] == "histogram")
    }

    @Test func `only counters end in total, and every name has a prefix and a description`() throws {
        for family in try parsed(health()) {
            #expect((family.type == "counter") == family.name.hasSuffix("_total"), "\(family.name)")
            #expect(family.name.hasPrefix("trilateral_"))
            #expect(family.help.hasSuffix("."), "\(family.name)")
        }
    }

    @Test func `a histogram's buckets rise to its count`() throws {
        let health = health { health in
            for seconds in [0.001, 0.001, 0.001, 0.25, 0.25, 0.25, 100] {
                health.positionLatency.record(seconds)
            }
        }
        let family = try #require(try parsed(health).first { $0.type == "histogram" })
        let buckets = family.samples.filter { $0.name.hasSuffix("_bucket") }
        #expect(buckets.count > 10 && buckets.last?.labels["le"] == "+Inf")
        #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.value <= $1.value })
        #expect(Set(buckets.map(\.value)) == [0, 3, 6, 7])
        #expect(try #require(family.samples.dropLast().last?.value).distance(to: 100.753).magnitude < 1e-6)
        #expect(family.samples.last?.value == 7)
    }

    /// A health message with everything that there can be.
    private var complete: HealthMessage {
        health { health in
            health.positionLatency.record(0.25)
            var measured = HealthMeasurements()
            measured.lastPacketSeconds = ["beacons": 3, "gps": 40]
            measured.commands.record(nil, milliseconds: 0)
            measured.commands.record(nil, milliseconds: 3)
            measured.commands.record(.unknownThing, milliseconds: 900_000)
            measured.databaseBytes = ["flare": 4096]
            measured.memoryBytes = ["resident": 50_000_000, "anonymous": 14_000_000]
            measured.lastBackup = 1_700_000_000
            health.measurements = measured
        }
    }

    @Test func `what is measured becomes metrics with labels`() throws {
        let families = try parsed(complete)
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
        }
        #expect(value("trilateral_command_answers_total", ["code": "ok"]) == 2)
        #expect(value("trilateral_command_answers_total", ["code": "unknown_thing"]) == 1)
        #expect(value("trilateral_command_latency_seconds_bucket", ["le": "0.001"]) == 1)
        #expect(value("trilateral_command_latency_seconds_bucket", ["le": "0.004"]) == 2)
        #expect(value("trilateral_command_latency_seconds_bucket", ["le": "+Inf"]) == 3)
        #expect(value("trilateral_command_latency_seconds_sum") == 900.003)
        #expect(value("trilateral_last_packet_age_seconds", ["sensor": "gps"]) == 40)
        #expect(value("trilateral_database_size_bytes", ["database": "flare"]) == 4096)
        #expect(value("trilateral_memory_bytes", ["kind": "anonymous"]) == 14_000_000)
        #expect(value("trilateral_last_backup_timestamp_seconds") == 1_700_000_000)
    }

    @Test func `health, healthz and metrics agree on whether all is well`() throws {
        for health in [complete, health { ($0.alerts, $0.links) = ([:], ["mqtt": true]) }] {
            let healthy = try parsed(health).first { $0.name == "trilateral_healthy" }?.samples.first?.value
            #expect((healthy == 1) == health.problems.isEmpty)
            #expect((health.json["status"] == "ok") == health.problems.isEmpty)
        }
    }

    @Test func `every metric of a node is in the list of names`() throws {
        let samples = try parsed(complete).flatMap(\.samples).map(\.name)
        #expect(Set(samples).subtracting(HealthMetrics.allNames) == [])
    }

    /// The rules of `promtool check metrics` that names and help texts can break.
    /// - Source: the Prometheus documentation, "Metric and label naming".
    @Test func `names and descriptions follow the rules of Prometheus`() throws {
        let families = try parsed(complete)
        #expect(Set(families.map(\.name)).count == families.count)
        for family in families {
            #expect(!family.help.isEmpty && family.type != "untyped", "\(family.name)")
            #expect(family.name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil, "\(family.name)")
            for word in ["count", "sum", "bucket", "info_total"] where family.type != "histogram" {
                #expect(!family.name.hasSuffix("_" + word), "\(family.name)")
            }
            for unit in ["_ms", "_milliseconds", "_kb", "_megabytes", "_minutes", "_hours", "_percent"] {
                #expect(!family.name.contains(unit), "\(family.name)")
            }
            for type in ["counter", "gauge", "histogram", "summary"] {
                #expect(!family.name.contains(type), "\(family.name)")
            }
        }
    }

    @Test func `an unknown counter is exported without a type`() throws {
        let family = try #require(
            try parsed(health { $0.counters = ["new_thing": 5] }).first { $0.type == "untyped" }
        )
        #expect(family.name == "trilateral_new_thing")
    }

    @Test(arguments: ["a\\b", "a\"b", "a\nb", "a\r\nb", "{x=\"1\"} 5", "", "ü\u{0}"])
    func `any label value survives`(value: String) throws {
        let metric = Metric("m", .gauge, help: "\(value).", [.init(1, labels: [.init("l", value)])])
        let family = try #require(try ParsedMetrics(MetricsText.text(of: [metric])).families.first)
        let expected = value.replacing("\r\n", with: "\n")
        #expect(family.samples.first?.labels == ["l": expected])
        #expect(family.help == expected + ".")
    }

    @Test(.enabled(if: Promtool.isExpected))
    func `promtool accepts every metric that there can be, and finds a bad one`() async throws {
        var everything = complete
        everything.counters = Dictionary(HealthMetrics.counters.map { ($0, 1) }) { $1 }
        let metrics = HealthMetrics.metrics(of: everything, version: "1.2.3 \"quoted\"")
        let text = MetricsText.text(of: metrics)
        let names = Set(try ParsedMetrics(text).families.flatMap(\.samples).map(\.name))
        #expect(names == HealthMetrics.allNames)
        #expect(try await Promtool.problem(withMetrics: text) == nil)
        let bad = metrics + [Metric("trilateral_wait_milliseconds", .gauge, help: "Waiting.", 1)]
        #expect(try await Promtool.problem(withMetrics: MetricsText.text(of: bad)) != nil)
    }

    @Test func `a monitor reads them`() async throws {
        let metrics = HealthMetrics.metrics(of: health(), version: "1")
        try await withWeb(FakeNode(), metrics: { metrics }) { port in
            let reply = try await request("GET", "/metrics", port: port)
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(try ParsedMetrics(reply.body).families.count == metrics.count)
        }
    }

    @Test(
        arguments: [
            (0.0, "0"), (-1.0, "-1"), (0.25, "0.25"), (1e300, "1e+300"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"),
            (.nan, "NaN"), (9_007_199_254_740_992, "9007199254740992"),
        ] as [(Double, String)]
    )
    func `numbers are written as the format has them`(value: Double, text: String) {
        let written = MetricsText.text(of: [Metric("m", .gauge, help: "h", value)])
        #expect(written.hasSuffix("\nm \(text)\n"))
    }
}
