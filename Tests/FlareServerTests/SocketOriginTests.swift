import FlareServer
import HTTPListener
import JSON
import TestSupport
import Testing

/// Which pages may use the socket path from a browser.
/// - Source: contrib/contract/flare-protocol.md, "3.6 Errors and CORS".
@Suite(.timeLimit(.minutes(1)))
struct SocketOriginTests {
    private static let open = "/socket.io/?EIO=4&transport=polling"

    private func ask(
        _ method: String = "GET",
        _ path: String = open,
        _ headers: [String],
        allowed: [String] = []
    ) async throws -> WireClient.Reply {
        try await withREST(nil, { $0.allowedOrigins = allowed }) { rest in
            try await rest.send(method, path, headers: headers)
        }
    }

    @Test func `without an Origin header any client may read`() async throws {
        for path in [Self.open, "/socket.io/", "/socket.io/?transport=polling&sid=x"] {
            let reply = try await ask("GET", path, [])
            #expect(reply.headers["access-control-allow-origin"] == "*")
            #expect(reply.headers["access-control-allow-credentials"] == nil)
        }
    }

    @Test(arguments: ["http://localhost", "http://localhost:80", "https://panel.example"])
    func `an allowed origin is returned with credentials`(origin: String) async throws {
        for path in [Self.open, "/socket.io/"] {
            let reply = try await ask("GET", path, ["Origin: \(origin)"], allowed: ["https://panel.example"])
            #expect(reply.status == (path == Self.open ? 200 : 400))
            #expect(reply.headers["access-control-allow-origin"] == origin)
            #expect(reply.headers["access-control-allow-credentials"] == "true")
            #expect(reply.headers["vary"] == "Origin")
            #expect(reply.headers["cache-control"] == "no-store")
        }
    }

    @Test(arguments: [
        "http://evil.example", "null", "http://localhost.evil.example", "https://panel.example:444",
        "http://localhost:8080", "http://127.0.0.1",
    ])
    func `another origin is refused without CORS headers`(origin: String) async throws {
        for method in ["GET", "POST", "OPTIONS"] {
            let headers = ["Origin: \(origin)", "Access-Control-Request-Method: POST"]
            let reply = try await ask(method, Self.open, headers, allowed: ["https://panel.example"])
            #expect(reply.status == 403)
            #expect(reply.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test func `a preflight request has no side effects`() async throws {
        let headers = [
            "Origin: http://localhost", "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: content-type",
        ]
        let reply = try await ask("OPTIONS", "/socket.io/?EIO=4&transport=polling&sid=unknown", headers)
        #expect(reply.status == 204)
        #expect(reply.headers["access-control-allow-origin"] == "http://localhost")
        #expect(reply.headers["access-control-allow-methods"] == "GET, POST")
        #expect(reply.headers["access-control-allow-headers"] == "content-type")
        #expect(reply.headers["access-control-allow-credentials"] == "true")
    }

    @Test func `the session cookie is set once, for the same site only`() async throws {
        let reply = try await ask("GET", Self.open, [])
        let sid = try JSONValue(parsing: String(reply.body.dropFirst()))["sid"]?.string ?? "?"
        #expect(reply.headers["set-cookie"] == "io=\(sid); Path=/; HttpOnly; SameSite=Lax")
        let error = try await ask("GET", "/socket.io/?transport=polling&sid=x", [])
        #expect(error.headers["set-cookie"] == nil)
    }

    @Test func `REST responses have no CORS headers`() async throws {
        let reply = try await ask("GET", "/environments", ["Origin: http://localhost"])
        #expect(reply.status == 200)
        #expect(reply.headers["access-control-allow-origin"] == nil)
    }
}
