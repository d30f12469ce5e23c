import FlareClient
import SocketIO
import Testing

@Suite struct TransportSequenceTests {
    @Test func `no more than five seconds lie between two attempts unless configured`() {
        let configuration = FlareClientConfiguration(host: "a", port: 1)
        #expect(configuration.reconnectMaximumSeconds == 5)
        #expect(configuration.quietSeconds + configuration.livenessSeconds < 15)
    }

    private static let ways = FlareClientConfiguration(host: "a", port: 1).approaches

    @Test func `all combinations are tried without a pause while the server refuses`() {
        var approaches = TransportSequence(Self.ways)
        var tried = [approaches.current]
        while approaches.advance(after: .refused(status: 400, "")) { tried.append(approaches.current) }
        #expect(tried == Self.ways)
        #expect(tried.map(\.transport) == [.websocket, .polling, .websocket, .polling])
        #expect(tried.map(\.revision) == [.four, .four, .three, .three])
        // After the pause, from the start.
        #expect(approaches.current == Self.ways[0])
    }

    @Test func `the combination that worked is tried first next time`() {
        var approaches = TransportSequence(Self.ways)
        #expect(approaches.advance(after: .refused(status: 400, "")) == true)
        approaches.joined()
        #expect(approaches.current == Self.ways[1])
        #expect(approaches.advance(after: .unreachable("gone")) == false)
        #expect(approaches.current == Self.ways[1])
    }

    @Test func `after a timeout the next combination is tried after a pause`() {
        var approaches = TransportSequence(Self.ways)
        #expect(approaches.advance(after: .timedOut(waitingFor: "welcome", milliseconds: 1)) == false)
        #expect(approaches.current == Self.ways[1])
    }

    @Test func `after a stranded upgrade the next session does not upgrade`() {
        var approaches = TransportSequence(Self.ways)
        #expect(approaches.advance(after: .refused(status: 400, "")) == true)
        #expect(approaches.current == .init(.polling, .four, takesEither: true, upgrades: true))
        approaches.ended(.stranded)
        #expect(approaches.current == .init(.polling, .four, takesEither: true, upgrades: false))
        approaches.ended(.serverClosed)
        #expect(approaches.current.upgrades)
    }

    @Test func `a configured combination is the only one`() {
        var configuration = FlareClientConfiguration(host: "a", port: 1)
        configuration.revision = .three
        configuration.transport = .polling
        var approaches = TransportSequence(configuration.approaches)
        #expect(approaches.current == .init(.polling, .three, takesEither: false, upgrades: false))
        #expect(approaches.advance(after: .refused(status: 400, "")) == false)
    }
}
