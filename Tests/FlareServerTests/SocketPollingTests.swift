import FlareServer
import JSON
import SocketIO
import TestSupport
import Testing

/// Sessions over plain requests, and how they become WebSockets.
/// - Source: contrib/contract/flare-protocol.md, "3. Engine.IO and Socket.IO".
@Suite(.timeLimit(.minutes(2)))
struct SocketPollingTests {
    private static let lamp = Hall.text(Hall.lamp)

    private func withHall(
        _ settings: SocketSettings = SocketSettings(),
        _ script: @escaping @Sendable (_ port: Int) throws -> Void
    ) async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await withREST(hub, sockets: settings) { rest in
            try await onThread { try script(rest.port) }
        }
    }

    /// The response over a new connection.
    private static func reply(_ method: String, _ target: String, port: Int, _ fields: String = "") throws
        -> WireClient.Reply?
    {
        let client = try WireClient(port: port)
        client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        return try client.reply()
    }

    private static func code(_ reply: WireClient.Reply?) throws -> Int? {
        guard let reply, reply.status == 400 else { return nil }
        return try JSONValue(parsing: reply.body)["code"]?.integer
    }

    @Test(arguments: [
        "", "?EIO=3&transport=polling", "?EIO=4&transport=polling&sid=unknown", "?EIO=3&transport=pigeon",
        "?EIO=4&transport=websocket&sid=unknown",
    ])
    func `an answer to HEAD has no body, and the next answer follows it`(query: String) async throws {
        try await withHall { port in
            let client = try WireClient(port: port)
            client.send("HEAD /socket.io/\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.reply(toHead: true)?.status == 400)
            client.send("GET /environments HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let next = try client.reply()
            #expect(next?.status == 200)
            #expect(try JSONValue(parsing: next?.body ?? "").array?.count == 1)
        }
    }

    @Test(arguments: EngineRevision.allCases, [false, true])
    func `a client that disconnects during a poll loses no messages`(revision: EngineRevision, isHalf: Bool)
        async throws
    {
        try await withHall { port in
            let client = try SocketClient(port: port, .polling, revision)
            let setter = try SocketClient(port: port)
            try client.emit("subscribe", ["thing": Self.lamp])
            #expect(try client.receivedEvents() == [])
            if isHalf {
                client.beginPoll()
                client.finish()
                // The poll has ended: later messages do not use it.
                #expect(try client.endPoll()?.status == 400)
                try client.vanish()
            } else {
                try client.vanish(waiting: true)
            }
            for value in 0..<10 {
                try setter.emit("setData", ["thing": Self.lamp, "key": "n", "value": .number(Double(value))])
            }
            #expect(try setter.receivedEvents() == [])
            let received = try (0..<10).map { _ in try client.event().argument["data"]?["n"]?.integer }
            #expect(received == Array(0..<10))
        }
    }

    @Test func `a second poll while one is pending ends both and the session`() async throws {
        try await withHall { port in
            let client = try SocketClient(port: port, .polling)
            client.beginPoll()
            let (other, target) = (try WireClient(port: port), client.pollRequest)
            other.send(target)
            let answers = try [client.endPoll(), other.reply()]
            #expect(Set(answers.compactMap { $0?.status }) == [200, 500])
            #expect(answers.contains { $0?.body == "1:1" })
            #expect(try Self.code(Self.reply("GET", client.pollPath, port: port)) == 1)
        }
    }

    @Test func `a second POST while one is delayed ends the session`() async throws {
        var settings = SocketSettings()
        settings.maximumPendingMessages = 0
        try await withHall(settings) { port in
            let client = try SocketClient(port: port, .polling)
            let event = #"42["getPosition",{"thing":1}]"#
            // In any order, every request is answered.
            let posts = try (0..<20).map { _ in try WireClient(port: port) }
            let body = Array("\(event.count):\(event)".utf8)
            for post in posts {
                post.send(
                    "POST \(client.pollPath) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
                )
                post.send(body)
            }
            let statuses = try posts.map { try $0.reply()?.status ?? 0 }
            #expect(Set(statuses).isSubset(of: [200, 400, 500]), "\(statuses)")
            if statuses.contains(500) {
                #expect(try Self.code(Self.reply("GET", client.pollPath, port: port)) == 1)
            }
        }
    }

    @Test(arguments: EngineRevision.allCases)
    func `an upgrade ends the pending poll, and queued messages arrive over the WebSocket`(
        revision: EngineRevision
    ) async throws {
        try await withHall { port in
            let client = try SocketClient(port: port, .polling, revision)
            client.beginPoll()
            let socket = try WireSocket(client.socketPath, port: port)
            socket.send("2probe")
            #expect(try socket.frame() == .text("3probe"))
            let released = try client.endPoll()?.body
            #expect(released == (revision == .three ? "1:6" : "6"))
            try client.emit("getPosition", ["thing": 5])
            socket.send("5")
            #expect(try socket.frame() == .text(#"42["position",{"position":null,"thing":5}]"#))
            #expect(try Self.code(Self.reply("GET", client.pollPath, port: port)) == 3)
            #expect(try Self.code(client.post(["2"])) == 3)
        }
    }

    @Test func `of two WebSockets for one session, one is accepted and the other closed`() async throws {
        try await withHall { port in
            let client = try SocketClient(port: port, .polling)
            // Both are admitted before either is open.
            let rivals = try (0..<2).map { _ in try WireClient(port: port) }
            let fields = WireSocket.fields + ["Transfer-Encoding: chunked"]
            for rival in rivals { rival.send(WireSocket.handshake(client.socketPath, fields: fields)) }
            #expect(try client.receivedEvents() == [])
            for rival in rivals { rival.send("0\r\n\r\n") }
            let opened = try rivals.filter { try $0.reply()?.status == 101 }
            for socket in opened { socket.send(WireSocket.frame(0x1, Array("2probe".utf8))) }
            let answers = try opened.map { try $0.bytes(4) ?? [] }
            let goodbye: [UInt8] = [0x88, 2, 3, 232]
            #expect(answers.filter { $0.first == 0x81 }.count == 1, "\(answers)")
            #expect(answers.filter { $0 == goodbye }.count == opened.count - 1, "\(answers)")
        }
    }

    @Test func `an incomplete upgrade times out, and polling continues`() async throws {
        var settings = SocketSettings()
        settings.engine.upgradeTimeout = 1000
        try await withHall(settings) { port in
            let client = try SocketClient(port: port, .polling)
            let (silent, probing) = (try WireSocket(client.socketPath, port: port), client)
            #expect(try silent.frame() == .close(1000))
            #expect(try silent.frame() == nil)
            let half = try WireSocket(probing.socketPath, port: port)
            half.send("2probe")
            #expect(try half.frame() == .text("3probe"))
            #expect(try half.frame() == .close(1000))
            #expect(try client.receivedEvents() == [])
        }
    }

    @Test(arguments: SocketRoads.all)
    func `a silent session times out`(route: SocketClient.Route, revision: EngineRevision)
        async throws
    {
        var settings = SocketSettings()
        settings.engine.three = .init(interval: 20, timeout: 30)
        settings.engine.four = .init(interval: 20, timeout: 30)
        try await withHall(settings) { port in
            // On a slow machine the session may end before it is joined.
            guard let client = try? SocketClient(port: port, route, revision) else { return }
            if route == .polling {
                var status: Int?
                repeat {
                    client.beginPoll()
                    status = try client.endPoll()?.status
                } while status == 200
                #expect(status == 400)
            } else {
                #expect(try client.closing().last == .close(1000))
            }
        }
    }

    @Test func `invalid requests are refused with the errors of Engine.IO`() async throws {
        try await withHall { port in
            let base = "/socket.io/"
            for (method, target, code) in [
                ("GET", base, 0), ("GET", "\(base)?transport=carrier-pigeon", 0), ("GET", "\(base)?EIO=3", 0),
                ("GET", "\(base)?transport=polling&sid=nobody", 1),
                ("POST", "\(base)?transport=polling&sid=x", 1),
                ("GET", "\(base)?transport=websocket&sid=nobody", 1),
                ("PUT", "\(base)?transport=polling&sid=x", 1),
                ("POST", "\(base)?transport=polling", 2), ("OPTIONS", "\(base)?transport=polling", 2),
                ("DELETE", "\(base)?EIO=4&transport=polling", 2),
                ("GET", "\(base)?transport=websocket", 3), ("GET", "\(base)?transport=polling&j=0", 3),
                ("GET", "\(base)?transport=polling&EIO=5", 5), ("GET", "\(base)?transport=polling&EIO=x", 5),
            ] {
                #expect(try Self.code(Self.reply(method, target, port: port)) == code, "\(method) \(target)")
            }
            #expect(try Self.reply("GET", "/socket.io?transport=polling", port: port)?.status == 404)
            for (target, code) in [
                ("\(base)?transport=websocket&sid=nobody", 1), ("\(base)?transport=polling", 0),
                ("\(base)?transport=websocket&EIO=9", 5),
            ] {
                let wire = try WireClient(port: port)
                wire.send(WireSocket.handshake(target))
                #expect(try Self.code(wire.reply()) == code, "\(target)")
                #expect(try wire.isClosed())
            }
        }
    }

    @Test func `a packet for an ended session is refused`() async throws {
        try await withHall { port in
            let client = try SocketClient(port: port, .polling)
            client.beginPoll()
            #expect(try client.post(["1"]).body == "ok")
            #expect(try client.endPoll()?.body == "1:6")
            #expect(try Self.code(client.post(["2"])) == 1)
            #expect(try Self.code(Self.reply("GET", client.pollPath, port: port)) == 1)
            #expect(throws: WireClient.Failure.self) { try WireSocket(client.socketPath, port: port) }
        }
    }

    @Test(arguments: ["4é", "9:42[\"é\"]", "2:4", "x", "", "99999999999999999999:2", "1:9", "1:\u{FF}"])
    func `an invalid body ends the session`(body: String) async throws {
        try await withHall { port in
            let client = try SocketClient(port: port, .polling)
            #expect(try client.post(Array(body.utf8)).body == "ok")
            #expect(try Self.code(client.post(["2"])) == 1)
        }
    }

    @Test func `one connection serves several sessions, consecutively and simultaneously`() async throws {
        try await withHall { port in
            let wire = try WireClient(port: port)
            let clients = try (0..<50).map { _ in try SocketClient(port: port, .polling) }
            for client in clients {
                try client.send("2")
                wire.send(client.pollRequest)
            }
            for _ in clients { #expect(try wire.reply()?.body == "1:3") }
            for client in clients {
                #expect(try client.post(["1"]).body == "ok")
                wire.send(client.pollRequest)
                #expect(try Self.code(wire.reply()) == 1)
            }
        }
    }
}
