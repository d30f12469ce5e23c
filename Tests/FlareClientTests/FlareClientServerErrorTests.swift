import Flare
import FlareClient
import JSON
import Logging
import NIOHTTP1
import SocketIO
import TestSupport
import Testing

/// Servers that break the session.
@Suite(.timeLimit(.minutes(2))) struct FlareClientServerErrorTests {
    struct BadServer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: FakeServer
        let words: String

        init(_ name: String, _ words: String, _ change: (inout FakeServer) -> Void) {
            testDescription = name
            self.words = words
            var script = FakeServer()
            change(&script)
            self.script = script
        }

        static func sending(_ name: String, _ words: String, _ texts: String...) -> BadServer {
            BadServer(name, words) {
                $0.socket = { text, socket in if text.isEmpty { for text in texts { socket.send(text) } } }
            }
        }
    }

    static let badServers: [BadServer] = [
        .sending("nonsense", "does not speak the protocol", "hello"),
        .sending("an empty message", "does not speak the protocol", ""),
        .sending("no session's id", "without a session id", #"0{"upgrades":[]}"#),
        .sending("another server's words", "does not speak the protocol", #"{"type":"welcome"}"#),
        .sending("no welcome", "no welcome from the server", FakeServer.hello),
        .sending("turned away", "refused the connection", FakeServer.hello, #"44"closed""#),
        .sending("closed at once", "closed the session", FakeServer.hello, "1"),
        BadServer("half a frame", "no welcome from the server") {
            $0.socket = { text, socket in
                if text.isEmpty { socket.raw([0x81, 0x7E, 0x01, 0x00, 0x30, 0x7B]) }
            }
        },
        BadServer("no frame", "the connection was closed") {
            $0.socket = { text, socket in if text.isEmpty { socket.raw([UInt8](repeating: 0xFF, count: 64)) }
            }
        },
        BadServer("a frame without end", "the connection was closed") {
            $0.socket = { text, socket in
                if text.isEmpty { socket.raw([0x81, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) }
            }
        },
        BadServer("hangs up", "the connection was closed") {
            $0.socket = { text, socket in if text.isEmpty { socket.close() } }
        },
        BadServer("no websocket, no polling", "status 404") { _ in },
        BadServer("takes everything and says nothing", "no welcome from the server") {
            $0.http = { _ in .nothing }
        },
        BadServer("half an answer", "no welcome from the server") {
            $0.http = { _ in .bytes("HTTP/1.1 101 Switching Prot", closes: false) }
        },
        BadServer("a wrong key", "no WebSocket") {
            $0.http = { _ in
                .bytes(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: AAAA\r\n\r\n",
                    closes: true
                )
            }
        },
        BadServer("hangs up before it has answered", "the connection was closed") {
            $0.http = { _ in .close }
        },
        BadServer("no HTTP", "invalid HTTP") {
            $0.greeting = .bytes("SSH-2.0-OpenSSH_9.2\r\n", closes: false)
        },
        BadServer("hangs up on everybody", "connection") { $0.greeting = .close },
    ]

    @Test(arguments: badServers)
    func `an incompatible server is reported and retried`(badServer: BadServer) async throws {
        try await withFakeServer(badServer.script) { server in
            var configuration = FlareClientConfiguration.local(server.port, .websocket, .three)
            if badServer.words.hasPrefix("no welcome") { configuration.answerSeconds = 0.2 }
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                let request = FlareRequest.loadEnvironments(near: nil)
                link.requests.yield(request)
                let reason = try #require(await link.linkDown())
                #expect(reason.lowercased().contains(badServer.words.lowercased()))
                // It waited for the first attempt and fails with it.
                #expect(await link.next() == .replied(request, .failure(.unreachable(reason))))
                #expect(await link.ask(request) == .failure(.unreachable(reason)))
                let isTriedAgain = try await eventually { try await server.connections() > 2 }
                #expect(isTriedAgain)
            }
        }
    }

    @Test(arguments: badServers)
    func `no configuration makes the client hang`(badServer: BadServer) async throws {
        try await withFakeServer(badServer.script) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            if badServer.words.hasPrefix("no welcome") { configuration.answerSeconds = 0.1 }
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                let reason = await link.linkDown()
                #expect(reason?.isEmpty == false)
                let isTriedAgain = try await eventually { try await server.connections() > 6 }
                #expect(isTriedAgain)
            }
        }
    }

    @Test func `an unreachable server is reported once, with its address`() async throws {
        let port = try LoopbackSocket.freePort()
        let log = LogRecorder()
        try await withLink(FlareClient(.local(port), logger: log.logger)) { link in
            #expect(await link.linkDown() == "127.0.0.1:\(port): Connection refused")
            let request = FlareRequest.loadEnvironments(near: nil)
            for _ in 0..<50 {
                guard case .failure(.unreachable)? = await link.ask(request) else {
                    Issue.record("not refused")
                    return
                }
            }
        }
        #expect(log.recorded == ["notice cannot reach the Flare server"])
    }

    @Test func `a server that refuses WebSockets is used by polling`() async throws {
        var script = FakeServer()
        script.http = { request in
            guard request.isPolling else { return .answer(400) }
            if request.method == .POST { return .answer(200, body: "ok") }
            if !request.target.contains("sid=") {
                return .answer(200, body: #"0{"sid":"abc","maxPayload":1000}"#)
            }
            return .answer(200, body: FakeServer.welcome4)
        }
        try await withFakeServer(script) { server in
            let log = LogRecorder()
            try await withLink(FlareClient(.local(server.port), logger: log.logger)) { link in
                #expect(await link.linkUp())
            }
            #expect(log.recorded.contains("notice connected to the Flare server"))
        }
    }

    @Test func `an invalid event is logged once, and many of them end the link`() async throws {
        let script = FakeServer.original(also: { _, socket in
            for _ in 0..<200 { socket.send("42{nonsense") }
        })
        try await withFakeServer(script) { server in
            let log = LogRecorder()
            try await withLink(FlareClient(.local(server.port), logger: log.logger)) { link in
                #expect(await link.linkUp())
                link.requests.yield(.subscribe(environment: Home.house))
                let reason = await link.linkDown()
                #expect(reason?.contains("invalid messages") == true)
                #expect(await link.linkUp())
            }
            #expect(log.recorded.count { $0.hasPrefix("warning") } == 1)
        }
    }

    private func telling(_ count: Int) -> FakeServer {
        .original(also: { message, socket in
            guard message.name == "subscribe" else { return }
            for number in 0..<count {
                socket.send(FlareMessage.data(["n": JSONValue(number)], of: Home.lampObject))
            }
        })
    }

    @Test func `a burst arrives complete and in order, and slows reading down`() async throws {
        // Few, so that they come faster than the rate on a busy machine too.
        let count = 1500
        try await withFakeServer(telling(count)) { server in
            let log = LogRecorder()
            var configuration = FlareClientConfiguration.local(server.port)
            configuration.messagesPerSecond = 250
            try await withLink(FlareClient(configuration, logger: log.logger)) { link in
                #expect(await link.linkUp())
                link.requests.yield(.subscribe(environment: Home.house))
                for number in 0..<count {
                    let notice = await link.nextNotice()
                    guard notice == .data(Home.lampObject, ["n": JSONValue(number)], sender: nil) else {
                        Issue.record("\(String(describing: notice)) instead of \(number)")
                        return
                    }
                }
            }
            #expect(log.recorded.contains { $0.contains("slowed down") })
        }
    }

    @Test func `a server that floods us is disconnected and retried`() async throws {
        try await withFakeServer(telling(20_000)) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            configuration.messagesPerSecond = 100
            configuration.floodSeconds = 0.1
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                #expect(await link.linkUp())
                link.requests.yield(.subscribe(environment: Home.house))
                #expect(await link.linkDown()?.contains("too many messages") == true)
                #expect(await link.linkUp())
            }
        }
    }

    @Test func `unknown messages are ignored`() async throws {
        let lamp = Home.lampObject
        let nothing: [String] = [
            #"42["hello"]"#, #"42["data"]"#, #"42["data",null]"#, #"42["data",{"data":{"a":1}}]"#,
            FlareMessage.event("data", ["data": ["a": 1], "thing": "bad"]),
            FlareMessage.event("data", ["data": .null, "thing": Home.text(Home.lamp)]),
            FlareMessage.event("data", ["data": [1], "thing": Home.text(Home.lamp)]),
            FlareMessage.event("position", ["position": .null, "thing": Home.text(Home.lamp)]),
            FlareMessage.event("position", ["position": ["x": "east"], "thing": Home.text(Home.lamp)]),
            FlareMessage.event("near", ["thing": Home.text(Home.lamp), "device": Home.text(Home.phone)]),
            FlareMessage.event("enter", ["zone": Home.text(Home.hall)]),
            FlareMessage.event("handleAction", ["action": 7, "thing": Home.text(Home.lamp)]),
        ]
        let script = FakeServer.original(also: { message, socket in
            guard message.name == "subscribe" else { return }
            for text in nothing { socket.send(text) }
            socket.send(FlareMessage.data(["a": 1], of: lamp))
        })
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let told = await link.perform(.subscribe(environment: Home.house))
                #expect(told.events == [.notice(.data(lamp, ["a": 1], sender: nil))])
                #expect(told.result == .success(.done))
            }
        }
    }
}
