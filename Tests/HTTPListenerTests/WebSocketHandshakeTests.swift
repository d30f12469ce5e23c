import HTTPListener
import Hummingbird
import TestSupport
import Testing

/// How a request becomes a WebSocket, or does not.
@Suite(.timeLimit(.minutes(1)))
struct WebSocketHandshakeTests {
    private static let plain = "GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// What a connection is answered that sends these bytes, and whether it is closed then.
    private func answers(
        _ count: Int = 1,
        to bytes: String,
        _ change: (inout HTTPListenerConfiguration) -> Void = { _ in }
    ) async throws -> [WireClient.Reply] {
        let (replies, reply) = AsyncStream.makeStream(of: WireClient.Reply.self)
        try await withListener(change, gate: EchoGate()) { port, _ in
            let all = try await onThread {
                let client = try WireClient(port: port)
                client.send(bytes)
                let all = try (0..<count).map { _ in try client.reply() }
                #expect(try client.isClosed())
                return all
            }
            for answer in all {
                if let answer { reply.yield(answer) }
            }
        }
        reply.finish()
        return await replies.reduce(into: []) { $0.append($1) }
    }

    private static func handshake(_ path: String = "/echo", without name: String, with field: String? = nil)
        -> String
    {
        var fields = WireSocket.fields.filter { !$0.hasPrefix(name + ":") }
        if let field { fields.append(field) }
        return WireSocket.handshake(path, fields: fields)
    }

    @Test func `the first request of a connection becomes a WebSocket`() async throws {
        try await withListener(gate: EchoGate()) { port, _ in
            try await onThread {
                let client = try WireClient(port: port)
                client.send(WireSocket.handshake("/echo"))
                let reply = try client.reply()
                #expect(reply?.status == 101)
                #expect(reply?.headers["upgrade"] == "websocket")
                #expect(reply?.headers["connection"]?.lowercased() == "upgrade")
                #expect(reply?.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            }
        }
    }

    @Test func `a later request of a connection becomes a WebSocket too`() async throws {
        try await withListener(gate: EchoGate()) { port, _ in
            try await onThread {
                let client = try WireClient(port: port)
                for _ in 0..<3 {
                    client.send(Self.plain)
                    #expect(try client.reply()?.body == "plain")
                }
                let socket = try WireSocket("/echo", over: client)
                #expect(try socket.frame() == .text("welcome"))
                socket.send("hello")
                #expect(try socket.frame() == .text("hello"))
            }
        }
    }

    @Test func `frames that arrive with the handshake are processed`() async throws {
        try await withListener(gate: EchoGate()) { port, _ in
            try await onThread {
                let client = try WireClient(port: port)
                let frames = ["one", "two"].flatMap { WireSocket.frame(0x1, Array($0.utf8)) }
                client.send(Array(WireSocket.handshake("/echo").utf8) + frames + [0x81])
                #expect(try client.reply()?.status == 101)
                #expect(
                    try client.bytes(9 + 5 + 5)?.suffix(10) == [129, 3, 111, 110, 101, 129, 3, 116, 119, 111]
                )
                client.send(WireSocket.frame(0x1, Array("three".utf8)).dropFirst())
                #expect(try client.bytes(7) == [129, 5] + Array("three".utf8))
            }
        }
    }

    @Test func `an upgrade on a path without WebSockets is answered normally and closed`() async throws {
        let replies = try await answers(to: WireSocket.handshake("/plain"))
        #expect(replies.map(\.status) == [200])
        #expect(replies.first?.body == "plain")
    }

    @Test func `a refusal has its own message and closes the connection`() async throws {
        let replies = try await answers(to: WireSocket.handshake("/refused"))
        #expect(replies.map(\.status) == [418])
        #expect(replies.first?.body == "short and stout")
        #expect(replies.first?.headers["content-type"] == "text/teapot")
    }

    @Test(arguments: [
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nhello",
        handshake(without: "Connection", with: "Connection: keep-alive"),
        handshake(without: "Connection"),
    ])
    func `other or malformed upgrade requests are answered normally`(bytes: String)
        async throws
    {
        let replies = try await answers(to: bytes)
        #expect(replies.map(\.status) == [200])
        #expect(replies.first?.body == "plain")
    }

    @Test func `a request is not upgraded while an earlier answer is pending`()
        async throws
    {
        let replies = try await answers(2, to: Self.plain + WireSocket.handshake("/echo"))
        #expect(replies.map(\.status) == [200, 200])
    }

    @Test(arguments: [
        ("Origin", "Origin: http://evil.example"), ("Origin", "Origin: null"),
        ("Host", "Host: evil.example"),
    ])
    func `a foreign page is refused before anything is opened`(name: String, field: String) async throws {
        let replies = try await answers(to: Self.handshake(without: name, with: field))
        #expect(replies.map(\.status) == [403])
        #expect(replies.first?.body.contains(#""error":"forbidden""#) == true)
    }

    @Test func `a configured page may open a WebSocket`() async throws {
        try await withListener({ $0.allowedOrigins = ["https://panel.example"] }, gate: EchoGate()) {
            port,
            _ in
            try await onThread {
                let client = try WireClient(port: port)
                client.send(Self.handshake(without: "Origin", with: "Origin: https://panel.example"))
                #expect(try client.reply()?.status == 101)
            }
        }
    }

    @Test(arguments: [
        handshake(without: "Sec-WebSocket-Version", with: "Sec-WebSocket-Version: 8"),
        handshake(without: "Sec-WebSocket-Version"), handshake(without: "Sec-WebSocket-Key"),
        handshake(without: "Content-Length", with: "Content-Length: 5") + "hello",
    ])
    func `a handshake of another version, without a key or with a body is a bad request`(bytes: String)
        async throws
    {
        let replies = try await answers(to: bytes)
        #expect(replies.map(\.status) == [400])
        #expect(replies.first?.headers["sec-websocket-version"] == "13")
    }

    @Test func `an incomplete handshake times out`() async throws {
        let bytes = Self.handshake(without: "X", with: "Transfer-Encoding: chunked")
        let replies = try await answers(to: bytes) {
            $0.headTimeout = .milliseconds(50)
            $0.bodyTimeout = .milliseconds(50)
        }
        #expect(replies.map(\.status) == [408])
    }
}
