import Foundation
import JSON
import TestSupport
import Testing

/// The real daemon over HTTP, beside the real broker.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct KioskTests {
    private static func port(_ home: Home) async throws -> Int {
        let start = "web: http://127.0.0.1:"
        try #require(await home.logs(start))
        let digits = await home.log.components(separatedBy: start).last?.prefix { $0.isNumber }
        return try #require(digits.flatMap { Int($0) })
    }

    private static func read(_ path: String, _ port: Int) async throws -> JSONValue {
        let reply = try await request("GET", path, port: port)
        #expect(reply.status == 200, "\(path): \(reply)")
        return try JSONValue(parsing: reply.body)
    }

    private static func post(_ path: String, _ body: String, _ port: Int) async throws -> (Int, JSONValue) {
        let type = ["Content-Type: application/json"]
        let reply = try await request("POST", path, port: port, headers: type, body: body)
        return (reply.status, try JSONValue(parsing: reply.body))
    }

    @Test func `the page and the API show what the broker shows`() async throws {
        try await withHome { home, visitor in
            let port = try await Self.port(home)
            let page = try await request("GET", "/kiosk", port: port)
            #expect(page.status == 200)
            #expect(page.body.contains("<html"))
            let lamp = try await visitor.awaits("things/table-lamp")
            let shown = try await Self.read("/api/things/table-lamp", port)
            for key in ["id", "slug", "name", "zone", "state", "palette", "settable", "ts"] {
                #expect(shown[key] == lamp[key], "\(key)")
            }
            let state = try await visitor.awaits("state")
            #expect(try await Self.read("/api/state", port)["epoch"] == state["epoch"])
            #expect(try await request("GET", "/healthz", port: port).body == "ok\n")
            #expect(try await Self.read("/api/lifecycle", port)["level"] == "BACKGROUND")
        }
    }

    @Test func `metrics and health count the answers of commands, and measure memory and databases`()
        async throws
    {
        try await withHome { home, visitor in
            let port = try await Self.port(home)
            let ok = try await Self.post("/api/things/table-lamp/set", #"{"color":"blue"}"#, port)
            let refused = try await Self.post("/api/things/table-lamp/set", #"{"color":"pinkish"}"#, port)
            #expect(ok.0 == 200 && refused.0 != 200)
            let code = try #require(refused.1["error"]?["code"]?.string)
            let metrics = try await request("GET", "/metrics", port: port).body
            for sample in [
                "trilateral_command_answers_total{code=\"ok\"} ",
                "trilateral_command_answers_total{code=\"\(code)\"} 1",
                "trilateral_command_latency_seconds_count ", "trilateral_memory_bytes{kind=\"anonymous\"} ",
                "trilateral_database_size_bytes{database=\"flare\"} ", "trilateral_mqtt_queued ",
            ] {
                #expect(metrics.contains("\n\(sample)"), "\(sample)")
            }
            let health = try await visitor.awaits("health")
            #expect(health["memory_bytes"]?["resident"]?.integer ?? 0 > 1 << 20)
            #expect(health["database_bytes"]?["state"]?.integer ?? 0 > 0)
        }
    }

    @Test(.enabled(if: Promtool.isExpected))
    func `promtool accepts the metrics of a running daemon`() async throws {
        try await withHome { home, visitor in
            let port = try await Self.port(home)
            #expect(try await Self.post("/api/things/table-lamp/set", #"{"color":"blue"}"#, port).0 == 200)
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "blue" }
            let metrics = try await request("GET", "/metrics", port: port).body
            #expect(metrics.contains("trilateral_command_latency_seconds_bucket"))
            #expect(try await Promtool.problem(withMetrics: metrics) == nil, "\(metrics)")
        }
    }

    @Test func `a command over HTTP has the way and the answer of one on the broker`() async throws {
        try await withHome { home, visitor in
            let port = try await Self.port(home)
            let (status, answer) = try await Self.post(
                "/api/things/table-lamp/set",
                #"{"color":"blue","tx":7}"#,
                port
            )
            #expect(status == 200)
            #expect(answer["status"] == "ok")
            #expect(answer["tx"] == 7)
            #expect(answer["target"]?["slug"] == "table-lamp")
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "blue" }
            let (refused, reason) = try await Self.post(
                "/api/things/table-lamp/set",
                #"{"colour":"red"}"#,
                port
            )
            #expect([400, 404].contains(refused))
            #expect(reason["error"]?["message"]?.string?.isEmpty == false)
            let (ping, pong) = try await Self.post("/api/request/ping", "", port)
            #expect(ping == 200)
            #expect(pong["data"]?["version"]?.string != nil)
        }
    }

    @Test
    func `a change on the broker reaches a stream at once, and a visible display makes the lifecycle attend`()
        async throws
    {
        try await withHome { home, visitor in
            let port = try await Self.port(home)
            let reader = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET /api/events?display=wall HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let reply = try client.reply(toHead: true)
                #expect(reply?.headers["content-type"] == "text/event-stream; charset=utf-8")
                return Unchecked(client)
            }
            try await visitor.awaits("lifecycle") { $0["level"] == "LIMITED" }
            let (status, _) = try await Self.post("/api/display/wall/presence", #""visible""#, port)
            #expect(status == 200)
            try await visitor.awaits("lifecycle") { $0["visible"] == 1 }
            #expect(try await visitor.ask("things/table-lamp/set/color", "green").outcome == "ok")
            try await onThread {
                var text = ""
                while !text.contains("\"color_name\":\"green\"") {
                    let byte = try #require(try reader.value.bytes(1))
                    text += String(decoding: byte, as: UTF8.self)
                }
                #expect(text.contains("event: state\n"))
                #expect(text.contains("event: lifecycle\n"))
                #expect(text.contains("event: thing\n"))
            }
        }
    }

    @Test func `a port that is taken does not end the daemon`() async throws {
        let taken = try LoopbackSocket.listening()
        try await withHome(["web.listen": "127.0.0.1:\(taken.port)"]) { home, visitor in
            let alert = try await visitor.awaits("alert/web") { $0["message"] != nil }
            #expect(alert["message"]?.string?.contains("127.0.0.1:\(taken.port) is in use") == true)
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
        }
    }
}

/// A value that is used by one thread after another.
// @unchecked: each use is awaited before the next.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
