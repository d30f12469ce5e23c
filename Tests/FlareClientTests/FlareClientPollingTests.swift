import Flare
import FlareClient
import JSON
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import SocketIO
import TestSupport
import Testing

/// The end of a polling session is detected at once, not by the liveness timeout.
@Suite(.timeLimit(.minutes(2))) struct FlareClientPollingTests {
    private static let set = FlareRequest.setData(Home.lampObject, values: ["a": 1], sender: nil)
    private static let unknown = #"{"code":1,"message":"Session ID unknown"}"#

    /// Messages of the server after the handshake, and the reported reason.
    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let words: String
        let move: FakeServer.Move

        init(_ name: String, _ words: String, _ move: FakeServer.Move) {
            testDescription = name
            self.words = words
            self.move = move
        }
    }

    private static let answers = [
        Loss("forgotten", "status 400: \(unknown)", .answer(400, body: unknown)),
        Loss("forgotten, in plain words", "status 400", .answer(400, body: "Invalid session abc")),
        Loss("not there", "status 404", .answer(404)),
        Loss("in badServer", "status 500", .answer(500, body: "<h1>Internal Server Error</h1>")),
        Loss("behind a proxy that waits for it", "status 503", .answer(503)),
        Loss("hangs up", "the connection was closed", .close),
        Loss(
            "half an answer",
            "the connection was closed",
            .bytes("HTTP/1.1 200 OK\r\nContent-Le", closes: true)
        ),
        Loss("no HTTP", "does not speak the protocol", .bytes("hello\r\n\r\n", closes: true)),
    ]

    static let posts = answers + [Loss("says nothing", "no answer from the server", .nothing)]

    static let polls =
        answers + [
            Loss("closes", "closed the session", .answer(200, body: "1")),
            Loss("turned out", "disconnected us", .answer(200, body: "41")),
            Loss("nonsense", "does not speak the protocol", .answer(200, body: "<html>")),
            Loss("nothing", "does not speak the protocol", .answer(200)),
            Loss("nothing but noops", "answers every poll without data", .answer(200, body: "6")),
        ]

    /// A server of revision 4 without WebSockets that breaks one session.
    ///
    /// - Parameters:
    ///   - poll: The response to a poll of the first session.
    ///   - post: The response to an event of the first session that sends one.
    private static func server(poll: FakeServer.Move? = nil, post: FakeServer.Move? = nil) -> FakeServer {
        let sessions = NIOLockedValueBox((isIn: [Bool](), victim: Int?.none))
        /// Whether this is the broken session.
        @Sendable func isVictim(_ number: Int) -> Bool {
            sessions.withLockedValue {
                $0.victim = $0.victim ?? number
                return $0.victim == number
            }
        }
        var script = FakeServer()
        script.http = { request in
            guard request.isPolling else { return .json("[]") }
            guard let number = request.target.split(separator: "sid=").dropFirst().first.flatMap({ Int($0) })
            else {
                let number = sessions.withLockedValue {
                    $0.isIn.append(false)
                    return $0.isIn.count
                }
                return .answer(
                    200,
                    body: #"0{"sid":"\#(number)","upgrades":["websocket"],"maxPayload":1000}"#
                )
            }
            if request.method == .POST {
                let isQuestion = request.body == "40" || request.body.contains(FakeServer.noObject)
                if let post, !isQuestion, isVictim(number) { return post }
                return .answer(200, body: "ok")
            }
            let isIn = sessions.withLockedValue { sessions in
                defer { sessions.isIn[number - 1] = true }
                return sessions.isIn[number - 1]
            }
            guard isIn else { return .answer(200, body: FakeServer.welcome4) }
            if let poll, isVictim(number) { return poll }
            return .nothing
        }
        return script
    }

    private func configuration(_ port: Int) -> FlareClientConfiguration {
        var configuration = FlareClientConfiguration.local(port, .polling, .four)
        // The liveness timeout would be later.
        configuration.confirmationSeconds = 60
        return configuration
    }

    @Test(arguments: posts)
    func `a refused POST ends the session, and pending requests fail at once`(loss: Loss)
        async throws
    {
        // The session must not end before both requests are pending.
        let arePending = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let post = FakeServer.Move.after(arePending.futureResult, loss.move)
        try await withFakeServer(Self.server(post: post)) { server in
            var configuration = configuration(server.port)
            if case .nothing = loss.move { configuration.answerSeconds = 0.3 }
            let client = try FlareClient(configuration, logger: .silent)
            let counted = CountedLink(link: client) { if $0 == 2 { arePending.succeed() } }
            try await withLink(counted) { link in
                #expect(await link.linkUp())
                let second = FlareRequest.subscribe(environment: Home.house)
                link.requests.yield(Self.set)
                link.requests.yield(second)
                let reason = try #require(await link.linkDown())
                #expect(reason.contains(loss.words))
                #expect(await link.next() == .replied(Self.set, .failure(.unreachable(reason))))
                #expect(await link.next() == .replied(second, .failure(.unreachable(reason))))
                #expect(await link.linkUp())
            }
        }
    }

    @Test(arguments: polls)
    func `a poll with a close packet ends the session`(loss: Loss) async throws {
        try await withFakeServer(Self.server(poll: loss.move)) { server in
            try await withLink(FlareClient(configuration(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                let reason = try #require(await link.linkDown())
                #expect(reason.contains(loss.words))
                #expect(await link.linkUp())
            }
        }
    }

    @Test func `an unreachable server is detected by the next POST`() async throws {
        var script = Self.server()
        let answer = script.http
        script.http = { request in
            let move = answer(request)
            guard case .answer(let status, _, let body) = move else { return move }
            // So that the POST needs a new connection.
            return .answer(status, headers: ["Connection": "close"], body: body)
        }
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(configuration(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                // Two polls and a POST of the handshake, the liveness request, and the pending poll.
                let isPolled = try await eventually { try await server.connections() == 5 }
                #expect(isPolled)
                try await server.refuseOthers()
                link.requests.yield(Self.set)
                let reason = try #require(await link.linkDown())
                #expect(reason.contains("Connection refused"))
                #expect(await link.next() == .replied(Self.set, .failure(.unreachable(reason))))
            }
        }
    }

    @Test func `after a stranded upgrade the next session does not try a WebSocket`()
        async throws
    {
        // Like python-engineio: messages wait for the WebSocket, and polls return at once.
        var script = Self.server(poll: .answer(200, body: "6"))
        let sockets = NIOLockedValueBox(0)
        script.socket = { text, socket in
            let number = sockets.withLockedValue {
                $0 += text.isEmpty ? 1 : 0
                return $0
            }
            // The first opens a new session, the second upgrades a polling session.
            if number == 1 || text == "2probe" { socket.close() }
        }
        try await withFakeServer(script) { server in
            var configuration = configuration(server.port)
            configuration.transport = .automatic
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                #expect(await link.linkUp())
                #expect(await link.linkDown()?.contains("answers every poll without data") == true)
                #expect(await link.linkUp())
                link.requests.yield(Self.set)
                #expect(await eventually { sockets.withLockedValue { $0 } == 2 })
            }
        }
        #expect(sockets.withLockedValue { $0 } == 2)
    }
}
