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
}
