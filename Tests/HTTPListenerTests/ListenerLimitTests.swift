import HTTPListener
import Hummingbird
import TestSupport
import Testing

/// What one client can do to the others.
@Suite(.timeLimit(.minutes(1)))
struct ListenerLimitTests {
    @Sendable private static func count(_ request: Request, _: PlainContext) async throws -> Response {
        Response(text: String(try await request.body.collect(upTo: 1000).readableBytes))
    }

    private static let head = "POST / HTTP/1.1\r\nHost: localhost\r\n"

    @Test func `a body is taken up to the limit and refused beyond it`() async throws {
        try await withFront({ $0.maximumBodyBytes = 1000 }, serving: Self.count) { port, _ in
            let fits = try await request("POST", "/", port: port, body: String(repeating: "a", count: 1000))
            #expect(fits.body == "1000")
            let large = try await request("POST", "/", port: port, body: String(repeating: "a", count: 1001))
            #expect(large.status == 413)
            #expect(large.body.contains("1001 bytes; at most 1000"))
        }
    }

    @Test func `a body without a stated length is refused beyond the limit too`() async throws {
        try await withFront({ $0.maximumBodyBytes = 1000 }, serving: Self.count) { port, _ in
            let status = try await onThread {
                let client = try WireClient(port: port)
                client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
                let chunk = String(repeating: "a", count: 256)
                for _ in 0..<8 { client.send("100\r\n\(chunk)\r\n") }
                client.send("0\r\n\r\n")
                return try client.reply()?.status
            }
            #expect(status == 413)
        }
    }

    @Test(arguments: ["18446744073709551616", "-1", "x", "1, 2"])
    func `a length that is none is a bad request`(length: String) async throws {
        try await withFront(serving: Self.count) { port, _ in
            let reply = try await request("POST", "/", port: port, headers: ["Content-Length: \(length)"])
            #expect([400, 413].contains(reply.status), "\(reply)")
        }
    }

    @Test(arguments: BadHead.allCases)
    func `a head that is too long or none at all is refused and the connection closed`(head: BadHead)
        async throws
    {
        try await withFront({ $0.maximumHeadBytes = 4000 }, serving: Self.count) { port, _ in
            let (status, isClosed) = try await onThread {
                let client = try WireClient(port: port)
                client.send(head.text)
                let status = try client.reply()?.status
                return (status, try client.isClosed())
            }
            #expect(status == nil || status == 400 || status == 431 || status == 414)
            #expect(isClosed)
        }
    }

    @Test func `a long path within the limit reaches the application`() async throws {
        try await withFront(serving: Self.count) { port, _ in
            let reply = try await request("GET", "/" + String(repeating: "a", count: 10_000), port: port)
            #expect(reply.status == 200)
        }
    }

    @Test(arguments: [
        ("GET / HTT", 408), ("GET / HTTP/1.1\r\nHost: localhost\r\n", 408),
        (head + "Content-Length: 10\r\n\r\nabc", 408),
    ])
    func `a request that does not come to its end is timed out`(bytes: String, status: Int) async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.headTimeout = .milliseconds(50)
            $0.bodyTimeout = .milliseconds(50)
        }
        try await withFront(change, serving: Self.count) { port, _ in
            let (answer, isClosed) = try await onThread {
                let client = try WireClient(port: port)
                client.send(bytes)
                let answer = try client.reply()?.status
                return (answer, try client.isClosed())
            }
            #expect(answer == status)
            #expect(isClosed)
        }
    }

    @Test func `a shutdown does not wait for a body that does not come`() async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.bodyTimeout = .seconds(3600)
            $0.sendTimeout = .seconds(3600)
        }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withFront(
            change,
            serving: { request, _ in
                arrival.yield()
                return try await Self.count(request, PlainContext())
            }
        ) { port, shutDown in
            async let status = onThread {
                let client = try WireClient(port: port)
                client.send(Self.head + "Content-Length: 10\r\n\r\nabc")
                return try client.reply()?.status
            }
            for await _ in arrivals { break }
            await shutDown()
            let answer = try await status
            #expect(answer == nil || answer == 408)
        }
    }

    @Test func `an idle connection is closed, before and after a request`() async throws {
        try await withFront({ $0.idleTimeout = .milliseconds(50) }, serving: Self.count) { port, _ in
            #expect(try await onThread { try WireClient(port: port).isClosed() })
            let isClosed = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.reply()
                return try client.isClosed()
            }
            #expect(isClosed)
        }
    }

    @Test func `an answer that is not taken ends the connection`() async throws {
        let large = ByteBuffer(repeating: 0x61, count: 1 << 20)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await withFront(
            { $0.sendTimeout = .milliseconds(50) },
            serving: { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        defer { end.yield() }
                        for _ in 0..<64 { try await writer.write(large) }
                        try await writer.finish(nil)
                    }
                )
            }
        ) { port, _ in
            let client = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return Held(client: client)
            }
            for await _ in ends { break }
            withExtendedLifetime(client) {}
        }
    }

    @Test func `more connections than allowed wait until one is closed`() async throws {
        try await withFront({ $0.maximumConnections = 1 }, serving: Self.count) { port, _ in
            let (first, answers) = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let first = try client.reply()?.status
                let second = try WireClient(port: port)
                second.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                // The first connection still gets its answers while the second waits.
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let answers = try [client.reply()?.status, client.isClosed() ? 0 : 1]
                return (first, answers)
            }
            #expect(first == 200)
            #expect(answers == [200, 0])
            #expect(try await request("GET", "/", port: port).status == 200)
        }
    }

    @Test func `who asks before sending a body is told to go on`() async throws {
        try await withFront(serving: Self.count) { port, _ in
            let statuses = try await onThread {
                let client = try WireClient(port: port)
                client.send(Self.head + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                let first = try client.reply()?.status
                client.send("abc")
                return [first, try client.reply()?.status]
            }
            #expect(statuses == [100, 200])
        }
    }
}

/// A client that is only kept open; nothing else touches it.
private struct Held: @unchecked Sendable {
    let client: WireClient
}

/// Requests that are none, by name.
enum BadHead: CaseIterable {
    case longLine, endlessLine, longField, endlessFields, manyFields, word, nullInMethod, version, tls

    var text: String {
        switch self {
        case .longLine: "GET /\(String(repeating: "a", count: 5000)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .endlessLine: "GET /\(String(repeating: "a", count: 50_000))"
        case .longField: "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 50_000))\r\n\r\n"
        case .endlessFields: "GET / HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 5000)
        case .manyFields: "GET / HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 200) + "\r\n"
        case .word: "nonsense\r\n\r\n"
        case .nullInMethod: "GET\u{0} / HTTP/1.1\r\n\r\n"
        case .version: "GET / HTTP/9.9\r\n\r\n"
        case .tls: "\u{16}\u{3}\u{1}\u{2}\u{0}"
        }
    }
}
