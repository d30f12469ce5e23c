import HTTPListener
import Hummingbird
import TestSupport
import Testing

/// What one client can do to the others.
@Suite(.timeLimit(.minutes(1)))
struct ListenerLimitTests {
    @Sendable private static func count(_ request: Request, _: ChannelContext) async throws -> Response {
        Response(text: String(try await request.body.collect(upTo: 1000).readableBytes))
    }

    private static let head = "POST / HTTP/1.1\r\nHost: localhost\r\n"

    @Test func `a body is accepted up to the limit and refused beyond it`() async throws {
        try await withListener({ $0.maximumBodyBytes = 1000 }, serving: Self.count) { port, _ in
            let fits = try await request("POST", "/", port: port, body: String(repeating: "a", count: 1000))
            #expect(fits.body == "1000")
            let large = try await request("POST", "/", port: port, body: String(repeating: "a", count: 1001))
            #expect(large.status == 413)
            #expect(large.body.contains("1001 bytes; at most 1000"))
        }
    }

    @Test func `a path with its own limit is refused at that limit`() async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.maximumBodyBytes = 100
            $0.bodyLimits = ["/long": 500]
        }
        try await withListener(change, serving: Self.count) { port, _ in
            let text = String(repeating: "a", count: 501)
            let short = try await request("POST", "/?x=/long", port: port, body: text)
            #expect(short.status == 413)
            #expect(short.body.contains("501 bytes; at most 100 are allowed"))
            let long = try await request("POST", "/long?x", port: port, body: text)
            #expect(long.status == 413)
            #expect(long.body.contains("501 bytes; at most 500 are allowed"))
            let fits = try await request("POST", "/long?x", port: port, body: String(text.dropLast()))
            #expect(fits.body == "500")
        }
    }

    @Test func `a body of unknown length is refused beyond the limit too`() async throws {
        try await withListener({ $0.maximumBodyBytes = 1000 }, serving: Self.count) { port, _ in
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

    @Test func `the end of a body that is too large is not awaited`() async throws {
        try await withListener({ $0.maximumBodyBytes = 1000 }, serving: Self.count) { port, _ in
            let (reply, isClosed) = try await onThread {
                let client = try WireClient(port: port)
                client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
                client.send("7d0\r\n" + String(repeating: "a", count: 2000) + "\r\n")
                let reply = try client.reply()
                return (reply, try client.isClosed())
            }
            #expect(reply?.status == 413 && reply?.headers["connection"] == "close")
            #expect(isClosed)
        }
    }

    @Test(arguments: ["18446744073709551616", "-1", "x", "1, 2"])
    func `an invalid length is a bad request`(length: String) async throws {
        try await withListener(serving: Self.count) { port, _ in
            let reply = try await request("POST", "/", port: port, headers: ["Content-Length: \(length)"])
            #expect([400, 413].contains(reply.status), "\(reply)")
        }
    }

    @Test(arguments: BadHead.allCases)
    func `an overlong or invalid head is refused and the connection closed`(head: BadHead)
        async throws
    {
        try await withListener({ $0.maximumHeadBytes = 4000 }, serving: Self.count) { port, _ in
            let (reply, isClosed) = try await onThread {
                let client = try WireClient(port: port)
                client.send(head.text)
                let reply = try client.reply()
                return (reply, try client.isClosed())
            }
            #expect(reply == nil || [400, 431, 414].contains(reply?.status))
            if let reply { expectProblem(reply) }
            if head == .manyFields || head == .longField { #expect(reply?.status == 431) }
            #expect(isClosed)
        }
    }

    @Test func `a long path within the limit reaches the application`() async throws {
        try await withListener(serving: Self.count) { port, _ in
            let reply = try await request("GET", "/" + String(repeating: "a", count: 10_000), port: port)
            #expect(reply.status == 200)
        }
    }

    @Test(arguments: [
        ("GET / HTT", 408), ("GET / HTTP/1.1\r\nHost: localhost\r\n", 408),
        (head + "Content-Length: 10\r\n\r\nabc", 408),
    ])
    func `an incomplete request times out`(bytes: String, status: Int) async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.headTimeout = .milliseconds(50)
            $0.bodyTimeout = .milliseconds(50)
        }
        try await withListener(change, serving: Self.count) { port, _ in
            let (answer, isClosed) = try await onThread {
                let client = try WireClient(port: port)
                client.send(bytes)
                let answer = try client.reply()
                return (answer, try client.isClosed())
            }
            #expect(answer?.status == status)
            try expectProblem(#require(answer))
            #expect(isClosed)
        }
    }

    @Test func `a shutdown does not wait for an incomplete body`() async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.bodyTimeout = .seconds(3600)
            $0.sendTimeout = .seconds(3600)
        }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withListener(
            change,
            serving: { request, context in
                arrival.yield()
                return try await Self.count(request, context)
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

    @Test func `a connection that sends nothing is closed whatever the keep-alive limit`()
        async throws
    {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.firstRequestTimeout = .milliseconds(50)
            $0.idleTimeout = .seconds(3600)
        }
        try await withListener(change, serving: Self.count) { port, _ in
            let isClosed = try await onThread { try WireClient(port: port).isClosed() }
            #expect(isClosed)
        }
    }

    @Test func `a connection is closed when no further request comes`() async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.firstRequestTimeout = .seconds(3600)
            $0.idleTimeout = .milliseconds(50)
        }
        try await withListener(change, serving: Self.count) { port, _ in
            let isClosed = try await onThread {
                let client = try WireClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.reply()
                return try client.isClosed()
            }
            #expect(isClosed)
        }
    }

    @Test func `an answer that is not read ends the connection`() async throws {
        let large = ByteBuffer(repeating: 0x61, count: 1 << 20)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await withListener(
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

    private static let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `the longest idle connection is closed for one more than allowed`() async throws {
        try await withListener({ $0.maximumConnections = 2 }, serving: Self.count) { port, _ in
            let (first, second, third) = try await onThread {
                let clients = try (0..<2).map { _ in
                    let client = try WireClient(port: port)
                    client.send(Self.get)
                    _ = try client.reply()
                    return client
                }
                let third = try WireClient(port: port)
                third.send(Self.get)
                let status = try third.reply()?.status
                let first = try clients[0].isClosed()
                clients[1].send(Self.get)
                return (first, try clients[1].reply()?.status, status)
            }
            #expect(third == 200)
            #expect(first)
            #expect(second == 200)
        }
    }

    @Test func `requests are answered under a flood of silent connections`() async throws {
        try await withListener({ $0.maximumConnections = 8 }, serving: Self.count) { port, _ in
            let status = try await onThread {
                let silent = try (0..<100).map { _ in try WireClient(port: port) }
                let client = try WireClient(port: port)
                client.send(Self.get)
                return try withExtendedLifetime(silent) { try client.reply()?.status }
            }
            #expect(status == 200)
        }
    }

    @Test func `requests are answered while many others stop in the middle of their bodies`() async throws {
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.maximumConnections = 8
            $0.bodyTimeout = .seconds(3600)
        }
        try await withListener(change, serving: Self.count) { port, _ in
            let status = try await onThread {
                let stopped = try (0..<100).map { _ in
                    let client = try WireClient(port: port)
                    client.send(Self.head + "Content-Length: 10\r\n\r\nabc")
                    return client
                }
                let client = try WireClient(port: port)
                client.send(Self.head + "Content-Length: 3\r\n\r\nabc")
                return try withExtendedLifetime(stopped) { try client.reply()?.status }
            }
            #expect(status == 200)
        }
    }

    @Test func `requests are answered while others do not read their answers`() async throws {
        let large = ByteBuffer(repeating: 0x61, count: 1 << 24)
        let respond: @Sendable (Request, ChannelContext) async throws -> Response = { request, _ in
            guard request.uri.path == "/large" else { return Response(text: "done") }
            return Response(status: .ok, body: ResponseBody(byteBuffer: large))
        }
        let change: (inout HTTPListenerConfiguration) -> Void = {
            $0.maximumConnections = 2
            $0.sendTimeout = .seconds(3600)
        }
        try await withListener(change, serving: respond) { port, _ in
            let body = try await onThread {
                let unread = try (0..<8).map { _ in
                    let client = try WireClient(port: port)
                    client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return client
                }
                let client = try WireClient(port: port)
                client.send(Self.get)
                return try withExtendedLifetime(unread) { try client.reply()?.body }
            }
            #expect(body == "done")
        }
    }

    @Test func `a connection with a pending request is not closed for another`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let respond: @Sendable (Request, ChannelContext) async throws -> Response = { request, _ in
            if request.uri.path == "/slow" {
                arrival.yield()
                for await _ in gate { break }
            }
            return Response(text: "done")
        }
        try await withListener({ $0.maximumConnections = 1 }, serving: respond) { port, _ in
            async let slow = onThread {
                let client = try WireClient(port: port)
                client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try client.reply()?.body
            }
            for await _ in arrivals { break }
            let other = try await onThread {
                let client = try WireClient(port: port)
                client.send(Self.get)
                return try client.reply()?.body
            }
            open.yield()
            #expect(other == "done")
            let late = try await slow
            #expect(late == "done")
        }
    }

    @Test func `a new connection waits while all are busy`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let respond: @Sendable (Request, ChannelContext) async throws -> Response = { request, _ in
            guard request.uri.path == "/slow" else { return Response(text: "done") }
            arrival.yield()
            for await _ in gate { break }
            return Response(text: "slow")
        }
        try await withListener({ $0.maximumConnections = 1 }, serving: respond) { port, _ in
            try await withThrowingTaskGroup(of: String?.self) { group in
                for path in ["/slow", "/slow", "/"] {
                    group.addTask {
                        try await onThread {
                            let client = try WireClient(port: port)
                            client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            return try client.reply()?.body
                        }
                    }
                    if path == "/slow" { for await _ in arrivals { break } }
                }
                open.yield()
                open.finish()
                let bodies = try await group.reduce(into: []) { $0.append($1) }
                #expect(bodies.compactMap(\.self).sorted() == ["done", "slow", "slow"])
            }
        }
    }

    @Test func `Expect 100-continue is answered`() async throws {
        try await withListener(serving: Self.count) { port, _ in
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

/// Every error says in its body what was wrong.
private func expectProblem(_ reply: WireClient.Reply) {
    #expect(reply.headers["content-type"] == "application/json; charset=utf-8", "\(reply)")
    #expect(reply.body.hasPrefix("{\"error\":\"") && reply.body.contains("\"message\":\""), "\(reply)")
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
