import HTTPListener
import JSON
import People
import TestSupport
import Testing
import Threading

@testable import Web

/// The routes of things with owners for who has signed in.
@Suite(.timeLimit(.minutes(2)))
struct BindingRouteTests {
    private struct Asked: Sendable {
        let request: LocalRequest
        let caller: Caller
        let address: String?
    }

    private static let owners = "/api/bindings/v-1/owners"

    /// Serves the routes, and records what is asked of them.
    private static func serve(
        answering response: LocalResponse = LocalResponse(200, Array("{}".utf8)),
        _ body: @escaping @Sendable (Int, Locked<[Asked]>) async throws -> Void
    ) async throws {
        let asked = Locked<[Asked]>([])
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            node.routes.withLock {
                $0 = WebRoute.bindings { request, caller, address in
                    asked.withLock { $0.append(Asked(request: request, caller: caller, address: address)) }
                    return response
                }
            }
            try await body(port, asked)
        }
    }

    @Test func `a request reaches what answers it, with who asks and from where`() async throws {
        try await Self.serve { (port: Int, asked: Locked<[Asked]>) async throws in
            let reply = try await post(
                Self.owners,
                #"{"owner":"carol"}"#,
                port: port,
                headers: Users.token
            )
            #expect(reply.status == 200 && reply.body == "{}")
            #expect(reply.headers["cache-control"] == "no-store")
            let found = try #require(asked.withLock { $0.first })
            #expect(found.request.method == "POST")
            #expect(found.request.path == ["api", "bindings", "v-1", "owners"])
            #expect(String(decoding: found.request.body, as: UTF8.self) == #"{"owner":"carol"}"#)
            #expect(found.caller == .user(Users.bob) && found.address == "127.0.0.1")
        }
    }

    @Test func `parts of a path are decoded, and a list has its filter`() async throws {
        try await Self.serve { (port: Int, asked: Locked<[Asked]>) async throws in
            let path = "\(Self.owners)/group%3Astaff"
            #expect(try await request("DELETE", path, port: port, headers: Users.token).status == 200)
            let list = "/api/bindings?filter=pending"
            #expect(try await request("GET", list, port: port, headers: Users.session).status == 200)
            let requests = asked.withLock { $0.map(\.request) }
            #expect(requests.first?.path.last == "group:staff" && requests.first?.body == [])
            #expect(requests.last?.query == ["filter": "pending"])
        }
    }

    @Test(arguments: [("GET", "/api/bindings"), ("POST", owners), ("DELETE", "/api/bindings/v-1")])
    func `nobody is answered without a session or a token, also on this machine`(
        method: String,
        path: String
    ) async throws {
        try await Self.serve { (port: Int, asked: Locked<[Asked]>) async throws in
            let reply = try await request(
                method,
                path,
                port: port,
                headers: ["Content-Type: application/json"],
                body: method == "POST" ? "{}" : ""
            )
            #expect(reply.status == 401)
            #expect(asked.withLock { $0.isEmpty })
        }
    }

    @Test func `a form of another page, another site and a broken body are refused`() async throws {
        try await Self.serve { (port: Int, asked: Locked<[Asked]>) async throws in
            let form = try await request(
                "POST",
                Self.owners,
                port: port,
                headers: Users.session + ["Content-Type: text/plain"],
                body: #"{"owner":"carol"}"#
            )
            #expect(form.status == 415)
            let site = ["Origin: https://elsewhere.example"]
            let other = try await post(Self.owners, "{}", port: port, headers: Users.session + site)
            #expect(other.status == 403)
            #expect(try await post(Self.owners, "{", port: port, headers: Users.session).status == 400)
            #expect(asked.withLock { $0.isEmpty })
        }
    }

    @Test(arguments: [
        ("onboard", 64_512, 200), ("onboard", 129_000, 200), ("onboard", 132_000, 413),
        ("expect", 64_000, 200),
        ("expect", 66_000, 413),
    ])
    func `an onboarding may be as long as the properties of a thing, and nothing else may`(
        verb: String,
        length: Int,
        status: Int
    ) async throws {
        try await Self.serve { (port: Int, _: Locked<[Asked]>) async throws in
            let body = #"{"x":""# + String(repeating: "a", count: length) + #""}"#
            let reply = try await post("/api/bindings/\(verb)", body, port: port, headers: Users.token)
            #expect(reply.status == status)
        }
    }

    @Test func `a refusal has the form of all others, and says when to come again`() async throws {
        let body: JSONValue = ["error": "rate_limited", "message": "too many wrong passwords"]
        let response = LocalResponse(429, body.bytes, retryAfter: 5)
        try await Self.serve(answering: response) { (port: Int, _: Locked<[Asked]>) async throws in
            let reply = try await post("/api/bindings/onboard", "{}", port: port, headers: Users.token)
            #expect(reply.status == 429 && reply.headers["retry-after"] == "5")
            #expect(
                try JSONValue(parsing: reply.body) == [
                    "status": "error",
                    "error": ["code": "rate_limited", "message": "too many wrong passwords"],
                ]
            )
        }
    }

    @Test func `what has no answer but that it is done has no body`() async throws {
        try await Self.serve(answering: LocalResponse(204)) { (port: Int, _: Locked<[Asked]>) async throws in
            let reply = try await request("DELETE", "/api/bindings/v-1", port: port, headers: Users.token)
            #expect(reply.status == 204 && reply.body.isEmpty && reply.headers["content-type"] == nil)
        }
    }
}
