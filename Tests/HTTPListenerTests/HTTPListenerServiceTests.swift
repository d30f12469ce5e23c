import HTTPListener
import Hummingbird
import Logging
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPListenerServiceTests {
    @Sendable private static func echo(_ request: Request, _: ChannelContext) async throws -> Response {
        let body = try await request.body.collect(upTo: 1000)
        return Response(text: "\(request.method) \(request.head.path ?? "") \(String(buffer: body))")
    }

    @Test func `the actual port is reported and answers requests`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            #expect(port > 0)
            let reply = try await request("POST", "/x?y=1", port: port, body: "hello")
            #expect(reply.status == 200)
            #expect(reply.body == "POST /x?y=1 hello")
            #expect(reply.headers["date"] != nil)
        }
    }

    @Test func `a port in use is reported with what to do`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            let error = await #expect(throws: HTTPListenerError.self) {
                try await withListener({ $0.port = port }, serving: Self.echo) { _, _ in }
            }
            #expect(error == .portInUse(host: "127.0.0.1", port: port, setting: "test.listen"))
            #expect(error?.description.contains("127.0.0.1:\(port) is in use") == true)
            #expect(error?.description.contains("test.listen") == true)
        }
    }

    @Test(arguments: ["192.0.2.1", "no such host", "host.invalid"])
    func `a host that is not this machine is reported`(host: String) async throws {
        let error = await #expect(throws: HTTPListenerError.self) {
            try await withListener({ $0.host = host }, serving: Self.echo) { _, _ in }
        }
        #expect(error?.description.contains("test.listen: \"\(host)\"") == true)
    }

    @Test func `a foreign Host is refused with a JSON body that names the key`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            let reply = try await request("GET", "/", port: port, host: "evil.example:\(port)")
            #expect(reply.status == 403)
            #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
            #expect(reply.body.contains(#""key":"test.allowed_hosts""#))
            #expect(reply.body.contains(#"Host \"evil.example"#))
        }
    }

    @Test func `a foreign Origin is refused and our own passes`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            let foreign = try await request("POST", "/", port: port, headers: ["Origin: http://evil.example"])
            #expect(foreign.status == 403)
            #expect(foreign.body.contains(#""key":"test.allowed_origins""#))
            let null = try await request("POST", "/", port: port, headers: ["Origin: null"])
            #expect(null.status == 403)
            let own = try await request(
                "POST",
                "/",
                port: port,
                host: "localhost:\(port)",
                headers: ["Origin: http://localhost:\(port)"]
            )
            #expect(own.status == 200)
            let elsewhere = try await request(
                "POST",
                "/",
                port: port,
                host: "localhost:\(port)",
                headers: ["Origin: http://localhost:3000"]
            )
            #expect(elsewhere.status == 403)
        }
    }

    @Test func `an absolute request target is served by its path`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            let reply = try await request("GET", "http://localhost:\(port)/x?y", port: port)
            #expect(reply.body == "GET /x?y ")
        }
    }

    @Test(arguments: [
        "http://evil.example/x", "HTTP://evil.example/x", "https://evil.example/x", "http://evil.example?x",
        "http://user@localhost/x", "http://localhost.evil.example/", "http://",
    ])
    func `an absolute request target is checked like Host and overrides it`(target: String)
        async throws
    {
        try await withListener(serving: Self.echo) { port, _ in
            let reply = try await request("GET", target, port: port)
            #expect([400, 403].contains(reply.status), "\(reply)")
            let own = try await request("GET", "http://localhost/x", port: port, host: "evil.example")
            #expect(own.body == "GET /x ")
        }
    }

    @Test func `HTTP 1_1 needs exactly one Host header`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            let two = try await request("GET", "/", port: port, headers: ["Host: evil.example"])
            #expect(two.status == 400)
            let none = try await request("GET", "/", port: port, host: nil)
            #expect(none.status == 400)
            #expect(none.body.contains("the Host header is missing"))
            let empty = try await request("GET", "/", port: port, host: "")
            #expect(empty.status == 400)
            let old = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET / HTTP/1.0\r\n\r\n")
                return try client.reply()?.status
            }
            #expect(old == 200)
        }
    }

    @Test func `pipelined requests are answered in order over one connection`() async throws {
        try await withListener(serving: Self.echo) { port, _ in
            let bodies = try await onThread {
                let client = try WireClient(port: port)
                client.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
                return try (0..<50).map { _ in try client.reply()?.body }
            }
            #expect(bodies == (0..<50).map { "GET /\($0) " })
        }
    }

    @Test func `a shutdown closes idle connections and lets pending requests finish`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withListener(serving: { _, _ in
            arrival.yield()
            for await _ in gate { break }
            return Response(text: "late")
        }) { port, shutDown in
            async let slow = onThread {
                let client = try WireClient(port: port)
                client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let body = try client.reply()?.body
                return (body, try client.isClosed())
            }
            for await _ in arrivals { break }
            let idle = try WireClient(port: port)
            await shutDown()
            #expect(try await onThread { try idle.isClosed() })
            open.yield()
            let (body, isClosed) = try await slow
            #expect(body == "late")
            #expect(isClosed)
        }
    }
}
