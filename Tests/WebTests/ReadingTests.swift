import Controller
import Flare
import JSON
import Messages
import TestSupport
import Testing
@testable import Web

@Suite(.timeLimit(.minutes(1)))
struct ReadingTests {
    private func read(_ path: String, port: Int, method: String = "GET") async throws -> JSONValue {
        let reply = try await request(method, path, port: port)
        #expect(reply.status == 200, "\(reply)")
        #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
        #expect(reply.headers["cache-control"] == "no-store")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        return try JSONValue(parsing: reply.body)
    }

    @Test func `state, environments, zones and things are those of the controller`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let state = try await read("/api/state", port: port)
            #expect(state == node.state.feedJSON())
            #expect(state["environment"]?["slug"] == "flat")
            #expect(try await read("/api/lifecycle", port: port) == node.state.lifecycleJSON)
            let environments = try await read("/api/environments", port: port)
            #expect(environments.array?.map { $0["name"] } == ["Flat"])
            let zones = try await read("/api/zones", port: port)
            #expect(zones.array?.first?["environment"] == "flat")
            let things = try await read("/api/things", port: port)
            let lamp = try #require(things.array?.first)
            #expect(lamp["position"] == ["x": 1, "y": 2, "z": 3])
            #expect(lamp["data"]?["note"] == "<b>")
            #expect(lamp["available"] == true)
            #expect(lamp["state"] == "ON")
            for name in ["red-lamp", "\(FakeNode.lamp)"] {
                #expect(try await read("/api/things/\(name)", port: port) == lamp)
            }
            let next: JSONValue = [
                "name": "nextColor", "description": "Sets the next colour of its palette.",
            ]
            #expect(try await read("/api/things/red-lamp/actions", port: port) == [next])
        }
    }

    @Test func `a changed thing is read as it is now, and a removed one is unknown`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            _ = try await read("/api/things", port: port)
            let lamp = ObjectReference(.thing, FakeNode.lamp)
            node.change([.object(lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
            #expect(
                try await read("/api/things/red-lamp", port: port)["data"]?["color"] == "blue"
            )
            node.change([.link]) { $0.isLinkUp = false }
            #expect(try await read("/api/things", port: port).array?.first?["available"] == false)
            node.change([.object(lamp)]) { $0.things[FakeNode.lamp] = nil }
            #expect(try await read("/api/things", port: port) == [])
            let missing = try await request("GET", "/api/things/red-lamp", port: port)
            #expect(missing.status == 404)
        }
    }

    @Test(arguments: ["/api/things/red-lamb", "/api/things/%3Cscript%3E/actions", "/api/things/"])
    func `an unknown thing is a 404 with the error body of MQTT`(path: String) async throws {
        try await withWeb(FakeNode()) { port in
            let reply = try await request("GET", path, port: port)
            #expect(reply.status == 404)
            let body = try JSONValue(parsing: reply.body)
            #expect(body["status"] == "error")
            #expect(body["error"]?["code"] == "unknown_thing")
            #expect(body["error"]?["message"]?.string?.isEmpty == false)
        }
    }

    @Test func `HEAD has the length of GET and no body`() async throws {
        try await withWeb(FakeNode()) { port in
            for path in ["/api/state", "/healthz", "/api/things"] {
                let get = try await request("GET", path, port: port)
                let head = try await request("HEAD", path, port: port)
                #expect(head.status == get.status)
                #expect(head.headers["content-length"] == get.headers["content-length"])
            }
        }
    }

    @Test func `the map is a picture that may not run scripts`() async throws {
        try await withWeb(FakeNode()) { port in
            let reply = try await request("GET", "/api/map", port: port)
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "image/svg+xml")
            #expect(reply.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(reply.body.contains("<svg"))
        }
    }

    @Test(arguments: [
        ([], 200, "ok\n"), ([HealthProblem(.warning, "no place")], 200, "degraded\nno place\n"),
        (
            [HealthProblem(.error, "no broker"), HealthProblem(.warning, "no place")], 503,
            "no broker\nno place\n"
        ),
    ])
    func `health is reported with its reasons, and 503 if one is an error`(
        problems: [HealthProblem],
        status: Int,
        text: String
    ) async throws {
        try await withWeb(FakeNode(), problems: { problems }) { port in
            let health = try await request("GET", "/healthz", port: port)
            #expect(health.status == status)
            #expect(health.body == text)
        }
    }
}
