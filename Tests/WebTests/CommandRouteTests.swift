import CommandFixture
import Controller
import JSON
import TestSupport
import Testing
import Things
import Threading
@testable import Web

@Suite(.timeLimit(.minutes(1)))
struct CommandRouteTests {
    @Test func `a command has the way and the answer of MQTT`() async throws {
        let node = try FakeNode { command in
            var answer = Answer(ticket: command.ticket, tx: command.tx, subject: .set)
            answer.actor = command.actor
            answer.target = Answer.Target(kind: "thing", slug: "red-lamp")
            answer.accepted = ["state": "ON"]
            return answer
        }
        try await withWeb(node) { port in
            let reply = try await post(
                "/api/things/red-lamp/set",
                #"{"state":"TOGGLE","tx":7}"#,
                port: port
            )
            #expect(reply.status == 200)
            #expect(
                try JSONValue(parsing: reply.body) == [
                    "status": "ok", "tx": 7, "accepted": ["state": "ON"],
                    "target": ["kind": "thing", "slug": "red-lamp"],
                ]
            )
            #expect(
                node.commands.map(\.operation) == [
                    .set(.thing("red-lamp"), ThingRequest(attributes: ["state": "TOGGLE"]))
                ]
            )
            #expect(node.commands.map(\.actor) == [.kiosk])
            #expect(try await post("/api/environment/set", #""next""#, port: port).status == 200)
            #expect(node.commands.last?.operation == .chooseEnvironment(.next))
        }
    }

    @Test(arguments: [
        (RefusalCode.unknownThing, 404), (.invalidValue, 400), (.notAllowed, 403), (.staleTarget, 409),
        (.rateLimited, 429), (.serverUnreachable, 503), (.timeout, 504),
    ])
    func `a refusal has the status of its code`(code: RefusalCode, status: Int) async throws {
        let node = try FakeNode { command in
            var answer = Answer(ticket: command.ticket, tx: nil, subject: .set)
            answer.refusal = Refusal(code, "because")
            return answer
        }
        try await withWeb(node) { port in
            let reply = try await post(
                "/api/nearby/set",
                #"{"state":"ON"}"#,
                port: port,
                headers: Users.token
            )
            #expect(reply.status == status)
            let body = try JSONValue(parsing: reply.body)
            #expect(
                body == ["status": "error", "error": ["code": .string(code.rawValue), "message": "because"]]
            )
            #expect((reply.headers["retry-after"] != nil) == (status == 429))
        }
    }

    @Test(arguments: [
        ("/api/nearby/set", "{", "bad_json"), ("/api/nearby/set", "7", "wrong_type"),
        ("/api/nearby/set", "[]", "wrong_type"), ("/api/request/fly", "{}", "unknown_verb"),
        ("/api/sensors/nose/set", #"{"state":"ON"}"#, "unknown_key"),
        ("/api/device/set", #"{"angel":1}"#, "unknown_key"),
    ])
    func `what cannot be read is refused, and nothing happens`(path: String, body: String, code: String)
        async throws
    {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let reply = try await post(path, body, port: port)
            #expect([400, 404].contains(reply.status))
            #expect(try JSONValue(parsing: reply.body)["error"]?["code"]?.string == code)
            #expect(node.commands == [])
        }
    }

    @Test(arguments: [
        "", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
    ])
    func `only JSON is taken, so that no form of another page can send a command`(type: String) async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let reply = try await request(
                "POST",
                "/api/nearby/set",
                port: port,
                headers: type.isEmpty ? [] : ["Content-Type: \(type)"],
                body: #"{"state":"ON"}"#
            )
            #expect(reply.status == 415)
            #expect(try JSONValue(parsing: reply.body)["error"]?["code"] == "unsupported_media_type")
            #expect(node.commands == [])
        }
    }

    @Test func `a body beyond 64 KiB is refused, announced or not`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let large = String(repeating: " ", count: 65_536) + "{}"
            let announced = try await post("/api/nearby/set", large, port: port)
            #expect(announced.status == 413)
            #expect(try JSONValue(parsing: announced.body)["error"]?["code"] == "too_large")
            let chunked = try await onThread {
                let client = try WireClient(port: port)
                client.send(
                    "POST /api/nearby/set HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n"
                )
                let chunk = String(repeating: " ", count: 0x4000)
                for _ in 0..<5 { client.send("4000\r\n\(chunk)\r\n") }
                client.send("0\r\n\r\n")
                return try client.reply()
            }
            #expect(chunked?.status == 413)
            #expect(node.commands == [])
        }
    }

    @Test(arguments: [
        ("GET", "/api/nearby/set", "POST"), ("POST", "/api/state", "GET, HEAD"),
        ("PUT", "/api/zones", "GET, HEAD, POST"),
        ("PUT", "/api/things/red-lamp", "GET, HEAD, PATCH, DELETE"), ("OPTIONS", "/api/state", "GET, HEAD"),
    ])
    func `a wrong method is a 405 that says what is allowed`(method: String, path: String, allowed: String)
        async throws
    {
        try await withWeb(FakeNode()) { port in
            let reply = try await request(method, path, port: port)
            #expect(reply.status == 405)
            #expect(reply.headers["allow"] == allowed)
            #expect(try JSONValue(parsing: reply.body)["error"]?["code"] == "method_not_allowed")
        }
    }

    @Test func `a command without an answer ends with a timeout`() async throws {
        let node = try FakeNode { _ in nil }
        try await withWeb(node, { $0.commandTimeout = .milliseconds(20) }) { port in
            let reply = try await post("/api/nearby/set", #"{"state":"ON","tx":"a"}"#, port: port)
            #expect(reply.status == 504)
            let body = try JSONValue(parsing: reply.body)
            #expect(body["error"]?["code"] == "timeout")
            #expect(body["tx"] == "a")
        }
    }

    @Test func `more commands than can wait are refused until one is answered`() async throws {
        let node = try FakeNode { _ in nil }
        try await withWeb(node, { $0.maximumPendingCommands = 1 }) { port in
            async let first = post("/api/nearby/set", #"{"state":"ON"}"#, port: port)
            #expect(await eventually { node.commands.count == 1 })
            let ticket = try #require(node.commands.first?.ticket)
            let second = try await post("/api/nearby/set", #"{"state":"ON"}"#, port: port)
            #expect(second.status == 429)
            #expect(second.headers["retry-after"] == "1")
            node.loop.perform {
                node.hub.withLock { $0 }?.assumeIsolated {
                    $0.receive(Answer(ticket: ticket, tx: nil, subject: .set))
                }
            }
            #expect(try await first.status == 200)
        }
    }

    @Test func `a shutdown answers the commands that wait`() async throws {
        let node = try FakeNode { _ in nil }
        let reply = Locked<Int?>(nil)
        try await withWeb(node) { port in
            Task {
                let status = try await post("/api/nearby/set", #"{"state":"ON"}"#, port: port).status
                reply.withLock { $0 = status }
            }
            #expect(await eventually { node.commands.count == 1 })
        }
        #expect(await eventually { reply.withLock { $0 } == 503 })
    }
}
