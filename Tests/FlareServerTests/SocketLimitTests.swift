import Flare
import FlareServer
import HTTPListener
import JSON
import SocketIO
import TestSupport
import Testing

/// Limits that protect clients from each other.
@Suite(.timeLimit(.minutes(2)))
struct SocketLimitTests {
    private static let open =
        "GET /socket.io/?EIO=3&transport=polling&b64=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Opens a session over a connection and returns its path.
    private static func openSession(_ wire: WireClient) throws -> String? {
        wire.send(open)
        guard let body = try wire.reply()?.body, let start = body.firstIndex(of: "{"),
            let end = body.firstIndex(of: "}"),
            let id = try JSONValue(parsing: String(body[start...end]))["sid"]?.string
        else { return nil }
        return "/socket.io/?EIO=3&transport=polling&b64=1&sid=\(id)"
    }

    private static func poll(_ path: String, _ wire: WireClient) throws -> WireClient.Reply? {
        wire.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try wire.reply()
    }

    @Test(arguments: [false, true])
    func `a client that opens many sessions neither blocks new clients nor ends connected ones`(isHeard: Bool)
        async throws
    {
        var settings = SocketSettings()
        settings.maximumSessions = 20
        try await withREST(sockets: settings) { rest in
            try await onThread {
                let socket = try SocketClient(port: rest.port)
                let polling = try SocketClient(port: rest.port, .polling)
                polling.beginPoll()
                let flood = try WireClient(port: rest.port)
                for _ in 0..<200 {
                    let path = try Self.openSession(flood)
                    if isHeard { _ = try path.map { try Self.poll($0, flood) } }
                }
                let wire = try WireClient(port: rest.port)
                let path = try #require(try Self.openSession(wire))
                #expect(try Self.poll(path, wire)?.body == "2:40")
                #expect(try socket.receivedEvents() == [])
                #expect(try polling.post(["2"]).body == "ok")
                #expect(try polling.endPoll()?.body == "1:3")
            }
        }
    }

    @Test func `when all sessions are connected, a new one is refused with 503`() async throws {
        var settings = SocketSettings()
        settings.maximumSessions = 2
        try await withREST(sockets: settings) { rest in
            try await onThread {
                let clients = try (0..<2).map { _ in try SocketClient(port: rest.port) }
                let wire = try WireClient(port: rest.port)
                wire.send(Self.open)
                #expect(try wire.reply()?.status == 503)
                let socket = try WireSocket("/socket.io/?EIO=3&transport=websocket", port: rest.port)
                #expect(try socket.frame() == .close(1001))
                for client in clients { #expect(try client.receivedEvents() == []) }
            }
        }
    }

    @Test func `a body over the limit is refused, and the session continues`() async throws {
        try await withREST { rest in
            try await onThread {
                let client = try SocketClient(port: rest.port, .polling)
                let body = [UInt8](repeating: 97, count: 1_000_001)
                #expect(try client.post(body).status == 413)
                #expect(try client.receivedEvents() == [])
            }
        }
    }

    @Test func `a message over the limit or an invalid text ends the WebSocket`() async throws {
        var settings = SocketSettings()
        settings.engine.limits.maximumPacketBytes = 1000
        try await withREST(sockets: settings, { $0.maximumMessageBytes = 2000 }) { rest in
            try await onThread {
                for (frame, code) in [
                    (WireSocket.Frame(0x1, [UInt8](repeating: 52, count: 1001)), 1000),
                    (WireSocket.Frame(0x1, [UInt8](repeating: 52, count: 2001)), 1009),
                    (WireSocket.Frame(0x1, [52, 50, 0xFF]), 1007), (WireSocket.Frame(0x1), 1000),
                    (.text("9"), 1000), (WireSocket.Frame(0x2, [9]), 1000),
                ] {
                    let socket = try WireSocket("/socket.io/?EIO=3&transport=websocket", port: rest.port)
                    for _ in 0..<2 { _ = try socket.frame() }
                    socket.send(frame)
                    socket.send(.close(1000))
                    #expect(try socket.frame() == .close(UInt16(code)), "\(frame.payload.prefix(5))")
                    #expect(try socket.frame() == nil)
                }
            }
        }
    }

    /// Only the session of the client that does not poll ends.
    @Test func `the queue of a client that does not poll is bounded`() async throws {
        var settings = SocketSettings()
        settings.engine.limits.maximumQueuedPackets = 50
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub, sockets: settings) { rest in
            try await onThread {
                let lazy = try SocketClient(port: rest.port, .polling)
                let setter = try SocketClient(port: rest.port)
                try lazy.emit("subscribe", ["environment": Hall.text(Hall.hall), "all": true])
                #expect(try lazy.receivedEvents() == [])
                for _ in 0..<60 {
                    try setter.emit("performAction", ["thing": Hall.text(Hall.lamp), "action": "hello"])
                }
                #expect(try setter.receivedEvents() == [])
                #expect(try lazy.post(["2"]).status == 400)
            }
        }
    }

    private static let blob = ObjectReference(.thing, Hall.id(99))
    private static let question = #"42["getData",{"thing":"\#(blob.id)"}]"#

    /// A hub with a thing whose data has this size.
    private static func hub(bytes: Int) async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        let data: JSONValue = ["text": .string(String(repeating: "x", count: bytes))]
        try await hub.insert(Hall.records + [FlareRecord(.thing, blob.id, ["name": "Blob", "data": data])])
        return hub
    }

    @Test func `when too much waits for all clients together, the fullest session ends`() async throws {
        var settings = SocketSettings()
        settings.maximumWaitingBytes = 100_000
        try await withREST(Self.hub(bytes: 20_000), sockets: settings) { rest in
            try await onThread {
                let modest = try SocketClient(port: rest.port, .polling)
                try modest.send(Self.question)
                let greedy = try SocketClient(port: rest.port, .polling)
                try greedy.send(Array(repeating: Self.question, count: 5))
                #expect(try modest.receivedEvents().map(\.name) == ["data"])
                #expect(try greedy.post(["2"]).status == 400)
            }
        }
    }

    @Test func `a WebSocket that does not read counts towards what waits for all clients`() async throws {
        var settings = SocketSettings()
        settings.maximumWaitingBytes = 100_000
        try await withREST(Self.hub(bytes: 950_000), sockets: settings) { rest in
            try await onThread {
                let observer = try SocketClient(port: rest.port)
                try observer.emit("subscribe", ["thing": Hall.text(Hall.lamp)])
                #expect(try observer.receivedEvents() == [])
                let greedy = try WireSocket("/socket.io/?EIO=3&transport=websocket", port: rest.port)
                for _ in 0..<2 { _ = try greedy.frame() }
                let last = #"42["performAction",{"thing":"\#(Hall.lamp)","action":"hello"}]"#
                let texts = Array(repeating: Self.question, count: 8) + [last]
                // At once, so that it is read before anything is answered.
                greedy.wire.send(texts.flatMap { WireSocket.frame(0x1, Array($0.utf8)) })
                #expect(try observer.event().name == "handleAction")
                var answers = 0
                while let frame = try? greedy.frame(), frame.opcode == 0x1 { answers += 1 }
                #expect(answers < 8)
            }
        }
    }

    @Test func `the messages of a POST wait until their answers are fetched`() async throws {
        var settings = SocketSettings()
        settings.maximumPolledMessages = 1
        settings.pausingQueuedBytes = 50_000
        settings.engine.limits.maximumQueuedBytes = 100_000
        try await withREST(Self.hub(bytes: 20_000), sockets: settings) { rest in
            try await onThread {
                let client = try SocketClient(port: rest.port, .polling)
                let body = Array(repeating: "\(Self.question.utf8.count):\(Self.question)", count: 10)
                    .joined()
                let wire = try WireClient(port: rest.port)
                wire.send(
                    "POST \(client.pollPath) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
                for _ in 0..<10 { #expect(try client.event().name == "data") }
                #expect(try wire.reply()?.body == "ok")
            }
        }
    }

    @Test func `a shutdown closes sockets and polls without waiting for clients`() async throws {
        let (isReady, ready) = AsyncStream.makeStream(of: Void.self)
        let goodbyes = try await withREST { rest in
            let answers = Task {
                try await onThread {
                    let socket = try SocketClient(port: rest.port)
                    let polling = try SocketClient(port: rest.port, .polling)
                    polling.beginPoll()
                    let half = try WireClient(port: rest.port)
                    half.send("POST /environments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
                    #expect(try socket.receivedEvents() == [])
                    ready.yield()
                    return (try socket.closing(), try polling.endPoll()?.body)
                }
            }
            for await _ in isReady { break }
            return answers
        }
        let (frames, body) = try await goodbyes.value
        #expect(frames == [.text("1"), .close(1001)])
        #expect(body == "1:1")
    }
}
