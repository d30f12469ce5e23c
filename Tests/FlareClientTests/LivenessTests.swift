import Flare
import FlareClient
import NIOConcurrencyHelpers
import SocketIO
import TestSupport
import Testing

@Suite struct LivenessCheckTests {
    @Test func `a silent server gets a liveness request and is lost without an answer`() {
        var check = LivenessCheck(quiet: 5000, patience: 8000, now: 0)
        check.received(now: 100)
        #expect(check.deadline == 5100)
        #expect(check.tick(now: 5099) == nil)
        #expect(check.tick(now: 5100) == .sendRequest)
        #expect(check.tick(now: 13_099) == nil)
        #expect(check.tick(now: 13_100) == .lost)
    }

    @Test func `any message counts as an answer`() {
        var check = LivenessCheck(quiet: 5000, patience: 8000, now: 0)
        #expect(check.tick(now: 7999) == nil)
        check.received(now: 7999)
        for now in stride(from: 12_999, to: 100_000, by: 5010) {
            #expect(check.tick(now: now) == .sendRequest)
            check.received(now: now + 10)
        }
        #expect(check.tick(now: 100_000) == nil)
    }

    @Test func `the first answer has the time that is left of connecting, later ones have more`() {
        var check = LivenessCheck(quiet: 5000, patience: 8000, firstPatience: 3000, now: 0)
        #expect(check.tick(now: 2999) == nil)
        check.received(now: 2999)
        #expect(check.tick(now: 7999) == .sendRequest)
        #expect(check.tick(now: 15_998) == nil)
        #expect(check.tick(now: 15_999) == .lost)
        check = LivenessCheck(quiet: 5000, patience: 8000, firstPatience: 3000, now: 0)
        #expect(check.tick(now: 3000) == .lost)
    }

    @Test func `a server that never answers is lost after the first request`() {
        var check = LivenessCheck(quiet: 5000, patience: 8000, now: 0)
        #expect(check.tick(now: 8000) == .lost)
    }
}

/// A server that hangs: it accepts connections but does not respond.
@Suite(.timeLimit(.minutes(2))) struct HungServerTests {
    /// A server that answers until it is set to hang.
    private func server(hangs: NIOLockedValueBox<Bool>) -> FakeServer {
        var script = FakeServer.original(http: { request in
            hangs.withLockedValue { $0 } ? .nothing : .json("[]")
        })
        let original = script.socket
        script.socket = { text, socket in if !hangs.withLockedValue({ $0 }) { original?(text, socket) } }
        return script
    }

    private func configuration(_ server: RunningFakeServer) -> FlareClientConfiguration {
        var configuration = FlareClientConfiguration.local(server.port, .websocket)
        configuration.quietSeconds = 0.05
        configuration.livenessSeconds = 0.2
        configuration.answerSeconds = 0.2
        return configuration
    }

    @Test func `an idle link to a server that hangs is lost, and restored when the server continues`()
        async throws
    {
        let hangs = NIOLockedValueBox(false)
        try await withFakeServer(server(hangs: hangs)) { server in
            try await withLink(FlareClient(configuration(server), logger: .silent)) { link in
                #expect(await link.linkUp())
                hangs.withLockedValue { $0 = true }
                #expect(await link.linkDown() == "no answer from the server within 0.2 s")
                hangs.withLockedValue { $0 = false }
                #expect(await link.linkUp())
            }
        }
    }

    @Test func `a server that accepts the session but never answers is not a link`() async throws {
        let joins = NIOLockedValueBox(0)
        var script = FakeServer()
        script.socket = { text, socket in
            guard text.isEmpty else { return }
            joins.withLockedValue { $0 += 1 }
            socket.send(FakeServer.hello)
            socket.send("40")
        }
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(configuration(server), logger: .silent)) { link in
                let silent = FlareEvent.linkDown(reason: "no answer from the server within 0.2 s")
                var event = await link.next()
                // On a busy machine, an attempt may fail before the server has accepted the session.
                while let other = event, other != silent, other != .linkUp { event = await link.next() }
                #expect(event == silent)
                #expect(await eventually { joins.withLockedValue { $0 } > 2 })
                let rest = await link.rest()
                #expect(!rest.contains(.linkUp))
            }
        }
    }

    /// Where a server that is being connected to hangs.
    enum Place: CaseIterable, Sendable {
        /// It accepts a connection, and is silent.
        case connection
        /// It is silent in the middle of its answer.
        case response
        /// It accepts a session, and answers nothing in it.
        case session
    }

    @Test(arguments: Place.allCases, [true, false])
    func `connecting to a server that hangs fails after five seconds, with TLS too`(
        place: Place,
        isStreamed: Bool
    )
        async throws
    {
        let listener = try LoopbackSocket.listening()
        try await withFakeServer(script(place)) { server in
            let isFake = place == .response || place == .session
            for isSecure in isFake ? [false] : [false, true] {
                var configuration = FlareClientConfiguration(
                    host: "127.0.0.1",
                    port: isFake ? server.port : listener.port
                )
                configuration.streams = isStreamed
                // Its default, in less time.
                #expect(configuration.connectSeconds == 5)
                configuration.connectSeconds = 0.3
                configuration.answerSeconds = 60
                configuration.livenessSeconds = 60
                if isSecure { configuration.tls = FlareClientConfiguration.TLS() }
                let started = ContinuousClock.now
                try await withLink(FlareClient(configuration, logger: .silent)) { link in
                    if isStreamed || place != .session {
                        let reason = try #require(await link.linkDown())
                        #expect(reason.contains("0.3 s"), "\(reason)")
                        #expect(ContinuousClock.now - started < .seconds(30))
                    }
                }
            }
        }
    }

    private func script(_ place: Place) -> FakeServer {
        var script = FakeServer()
        script.http = { _ in
            place == .response
                ? .bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[", closes: false) : .json("[]")
        }
        script.socket = { text, socket in
            guard text.isEmpty, place == .session else { return }
            socket.send(FakeServer.hello)
            socket.send("40")
        }
        return script
    }
}
