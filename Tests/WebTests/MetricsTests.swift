import Controller
import Messages
import TestSupport
import Testing
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
