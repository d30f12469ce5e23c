import Bindings
import HTTPListener
import JSON
import People
import TestSupport
import Testing
import Things
import Threading

@testable import Web

/// The routes of rules, for who has signed in and for programs for Thing-IF.
@Suite(.timeLimit(.minutes(2)))
struct RuleRouteTests {
    /// Serves the routes, and records what is asked of them.
    private static func serve(
        answering response: LocalResponse = LocalResponse(200, Array("{}".utf8)),
        _ body: @escaping @Sendable (Int, Locked<[LocalRequest]>) async throws -> Void
    ) async throws {
        let asked = Locked<[LocalRequest]>([])
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            node.routes.withLock {
                $0 = WebRoute.rules { request, _, _ in
                    asked.withLock { $0.append(request) }
                    return response
                }
            }
            try await body(port, asked)
        }
    }

    @Test(arguments: [
        ("GET", "/api/rules?thing=lamp"), ("POST", "/api/rules"), ("GET", "/api/rules/test"),
        ("PUT", "/api/rules/import"), ("DELETE", "/api/rules/7"), ("POST", "/api/rules/bright/on"),
        ("POST", "/api/rules/bright/off"), ("POST", "/api/rules/bright/run"),
        ("POST", "/api/rules/bright/test"), ("GET", "/api/rules/bright/explain?limit=3"),
    ])
    func `a request reaches what answers it, also about a rule with the name of a verb`(
        method: String,
        path: String
    ) async throws {
        try await Self.serve { (port: Int, asked: Locked<[LocalRequest]>) async throws in
            let hasBody = method == "POST" || method == "PUT"
            let reply = try await request(
                method,
                path,
                port: port,
                headers: Users.token + (hasBody ? ["Content-Type: application/json"] : []),
                body: hasBody ? "{}" : ""
            )
            #expect(reply.status == 200)
            let found = try #require(asked.withLock { $0.first })
            let words = path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
            #expect(found.method == method && found.path == words)
            #expect(found.query.isEmpty == !path.contains("?"))
        }
    }

    @Test func `what needs no body needs no type of one`() async throws {
        try await Self.serve { (port: Int, asked: Locked<[LocalRequest]>) async throws in
            let path = "/api/rules/bright/run"
            #expect(try await request("POST", path, port: port, headers: Users.token).status == 200)
            #expect(asked.withLock { $0.map(\.body) } == [Array("{}".utf8)])
            let text = Users.token + ["Content-Type: text/plain"]
            let refused = try await request("POST", path, port: port, headers: text, body: "{}")
            #expect(refused.status == 415 && asked.withLock { $0.count } == 1)
        }
    }

    @Test func `a refusal names the member at fault`() async throws {
        let body: JSONValue = [
            "error": "unknown_thing", "message": "when[0].thing: there is none", "field": "when[0].thing",
        ]
        try await Self.serve(answering: LocalResponse(404, body.bytes)) {
            (port: Int, _: Locked<[LocalRequest]>) async throws in
            let reply = try await post("/api/rules", "{}", port: port, headers: Users.token)
            #expect(reply.status == 404)
            let error = try JSONValue(parsing: reply.body)["error"]
            #expect(error?["code"] == "unknown_thing" && error?["field"] == "when[0].thing")
        }
    }

    @Test func `a body that is cut off reaches nobody, and the refusal says where it ends`() async throws {
        try await Self.serve { (port: Int, asked: Locked<[LocalRequest]>) async throws in
            let reply = try await post("/api/rules", #"{"title":"Night"#, port: port, headers: Users.token)
            #expect(reply.status == 400 && asked.withLock { $0.isEmpty })
            let error = try JSONValue(parsing: reply.body)["error"]
            #expect(error?["code"] == "bad_json")
            #expect(error?["message"]?.string?.hasSuffix(" at byte 15") == true, "\(reply.body)")
        }
    }

    @Test func `nobody sees rules without a session or a token, also on this machine`() async throws {
        try await Self.serve { (port: Int, asked: Locked<[LocalRequest]>) async throws in
            #expect(try await request("GET", "/api/rules", port: port).status == 401)
            #expect(asked.withLock { $0.isEmpty })
        }
    }

    // MARK: Thing-IF

    @Test func `each call of a trigger reaches what answers it`() async throws {
        try await ThingIF.serve { (port, service) async throws in
            let path = "\(ThingIF.target)/triggers"
            func send(_ method: String, _ rest: String, _ body: String = "") async throws -> Int {
                let headers = [ThingIF.bob] + (body.isEmpty ? [] : [ThingIF.json])
                return try await request(method, path + rest, port: port, headers: headers, body: body).status
            }
            #expect(try await send("POST", "", #"{"predicate":{}}"#) == 201)
            #expect(try await send("PATCH", "/1", #"{"title":"Night"}"#) == 204)
            #expect(try await send("PUT", "/1/enable") == 204)
            #expect(try await send("PUT", "/1/disable", "{}") == 204)
            #expect(try await send("DELETE", "/1") == 204)
            #expect(try await send("GET", "?bestEffortLimit=2&paginationKey=9") == 200)
            let asked = service.asked
            #expect(asked.triggers.map(\.verb) == ["add", "change", "enable", "disable", "remove"])
            #expect(asked.triggers.map(\.id) == ["", "1", "1", "1", "1"])
            #expect(asked.lists.map(\.limit) == [2] && asked.lists.map(\.key) == ["9"])
        }
    }

    @Test(arguments: ["{}", "[]", "{"])
    func `a change of nothing is refused`(body: String) async throws {
        try await ThingIF.serve { (port, service) async throws in
            let reply = try await request(
                "PATCH",
                "\(ThingIF.target)/triggers/1",
                port: port,
                headers: [ThingIF.bob, ThingIF.json],
                body: body
            )
            #expect(reply.status == 400 && reply.errorCode == "INVALID_INPUT_DATA")
            #expect(service.asked.triggers.isEmpty)
        }
    }

    private static let trigger =
        #"{"predicate":{"eventSource":"STATES","condition":{"type":"eq","field":"on","value":true},"#
        + #""triggersWhen":"CONDITION_FALSE_TO_TRUE"},"command":{"actions":[{"brightness":0.5}],"#
        + #""issuer":"user:bob","schema":"lamp","schemaVersion":2},"triggersWhat":"COMMAND","title":"Küche"}"#

    @Test func `a trigger that is cut off at any byte is refused with the place`() throws {
        let whole = Array(Self.trigger.utf8)
        #expect(try ThingIFCall.json(whole)["title"] == "Küche")
        for count in 0..<whole.count {
            let cut = Array(whole.prefix(count))
            let refusal = #expect(throws: Refusal.self) { _ = try ThingIFCall.json(cut) }
            #expect(refusal?.code == .badJSON, "\(count)")
            #expect(refusal?.message.contains(" at byte ") == true, "\(count)")
        }
    }

    @Test func `a trigger that is cut off is made by nobody`() async throws {
        try await ThingIF.serve { (port, service) async throws in
            for count in [1, 20, Self.trigger.utf8.count - 1] {
                let reply = try await request(
                    "POST",
                    "\(ThingIF.target)/triggers",
                    port: port,
                    headers: [ThingIF.bob, ThingIF.json],
                    body: String(decoding: Self.trigger.utf8.prefix(count), as: UTF8.self)
                )
                #expect(reply.status == 400 && reply.errorCode == "INVALID_INPUT_DATA")
            }
            #expect(service.asked.triggers.isEmpty)
        }
    }

    @Test func `a trigger that is not there has a code of its own`() async throws {
        try await ThingIF.serve { (port, service) async throws in
            service.failure.withLock { $0 = .refused(Refusal(.unknownRule, "there is no trigger 9")) }
            let reply = try await request(
                "GET",
                "\(ThingIF.target)/triggers/9",
                port: port,
                headers: [ThingIF.bob]
            )
            #expect(reply.status == 404 && reply.errorCode == "TRIGGER_NOT_FOUND")
        }
    }
}
