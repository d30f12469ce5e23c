import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

/// Which connections stay after a response, and what clients of HTTP/1.0 get.
@Suite(.timeLimit(.minutes(1)))
struct PersistenceTests {
    /// `/stream` has no length; the others echo their body.
    @Sendable private static func serve(_ request: Request, _: ChannelContext) async throws -> Response {
        switch request.uri.path {
        case "/stream":
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    for part in ["one ", "two ", "three"] { try await writer.write(ByteBuffer(string: part)) }
                    try await writer.finish(nil)
                }
            )
        case "/nothing": return Response(status: .notModified)
        default: return Response(text: String(buffer: try await request.body.collect(upTo: 1000)) + "!")
        }
    }

    private struct Now: ImmediateResponder {
        func immediateResponse(to request: HTTPRequest, from peer: String?) -> ImmediateResponse? {
            guard request.path == "/now" else { return nil }
            let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "4"])
            return ImmediateResponse(head: head, body: ByteBuffer(string: "now!"))
        }
    }

    /// Everything that comes until the other side closes.
    private func exchange(_ text: String) async throws -> String {
        let (results, result) = AsyncStream.makeStream(of: String.self)
        try await withListener(immediate: Now(), serving: Self.serve) { port, _ in
            result.yield(
                try await onThread {
                    let client = try WireClient(port: port)
                    client.send(text)
                    return String(decoding: try client.rest(), as: UTF8.self)
                }
            )
        }
        result.finish()
        return await results.reduce(into: "") { $0 += $1 }
    }

    @Test(arguments: ["/", "/now", "/stream", "/nothing"])
    func `an answer to HEAD has no body, and the next answer follows it`(path: String) async throws {
        try await withListener(immediate: Now(), serving: Self.serve) { port, _ in
            try await onThread {
                let client = try WireClient(port: port)
                client.send("HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let reply = try client.reply(toHead: true)
                #expect(reply?.status == (path == "/nothing" ? 304 : 200))
                client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.reply()?.body == "now!")
            }
        }
    }

    @Test(arguments: ["/", "/now", "/stream", "/nothing"])
    func `a client of HTTP 1_0 gets a whole response, and the end of the connection`(path: String)
        async throws
    {
        for host in ["Host: localhost\r\n", ""] {
            let reply = try await exchange("GET \(path) HTTP/1.0\r\n\(host)\r\n")
            #expect(reply.hasPrefix("HTTP/1.0 \(path == "/nothing" ? 304 : 200) "))
            #expect(reply.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(!reply.lowercased().contains("transfer-encoding"))
            // What could be answered at once is not, where the connection ends.
            let body = ["/": "!", "/now": "!", "/stream": "one two three"][path] ?? ""
            #expect(reply.hasSuffix("\r\n\r\n" + body))
        }
    }

    @Test func `a client of HTTP 1_0 that asks to keep the connection keeps it`() async throws {
        let keeping = "Host: localhost\r\nConnection: Keep-Alive\r\n"
        let reply = try await exchange(
            "GET /now HTTP/1.0\r\n\(keeping)\r\n"
                + "POST / HTTP/1.0\r\n\(keeping)Content-Length: 2\r\n\r\nhi"
                + "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n"
        )
        #expect(reply.ranges(of: "HTTP/1.0 200").count == 3)
        #expect(reply.lowercased().ranges(of: "connection: keep-alive").count == 2)
        #expect(reply.lowercased().ranges(of: "connection: close").count == 1)
        #expect(reply.contains("now!") && reply.contains("hi!") && reply.hasSuffix("\r\n\r\n!"))
    }

    @Test func `a response without a length ends a kept connection of HTTP 1_0`() async throws {
        let head = "HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"
        let reply = try await exchange("GET /stream \(head)GET /now \(head)")
        #expect(reply.ranges(of: "HTTP/1.0 200").count == 1)
        #expect(reply.lowercased().contains("connection: close"))
        #expect(reply.hasSuffix("\r\n\r\none two three"))
    }

    @Test func `a client of HTTP 1_0 gets no interim response and no upgrade`() async throws {
        let reply = try await exchange(
            "POST / HTTP/1.0\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi"
        )
        #expect(reply.hasPrefix("HTTP/1.0 200") && reply.hasSuffix("hi!"))
        let upgrade = try await exchange(
            "GET / HTTP/1.0\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        #expect(upgrade.hasPrefix("HTTP/1.0 200") && upgrade.hasSuffix("!"))
    }

    @Test(arguments: ["close", "Close", "keep-alive, close", "TE, CLOSE"])
    func `a connection that its client wants to end ends, and the response says so`(option: String)
        async throws
    {
        for path in ["/", "/now", "/stream"] {
            let reply = try await exchange(
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: \(option)\r\n\r\n"
            )
            #expect(reply.hasPrefix("HTTP/1.1 200"))
            #expect(reply.lowercased().ranges(of: "connection: close").count == 1)
        }
    }

    @Test func `a connection of HTTP 1_1 stays, and streams have chunks`() async throws {
        try await withListener(serving: Self.serve) { port, _ in
            try await onThread {
                let client = try WireClient(port: port)
                for _ in 0..<3 {
                    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let reply = try client.reply()
                    #expect(reply?.status == 200 && reply?.headers["connection"] == nil)
                }
                client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.reply()?.headers["transfer-encoding"] == "chunked")
            }
        }
    }

    @Test func `nothing is answered after the last response`() async throws {
        let reply = try await exchange(
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                + "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        #expect(reply.ranges(of: "HTTP/1.1").count == 1)
    }
}
