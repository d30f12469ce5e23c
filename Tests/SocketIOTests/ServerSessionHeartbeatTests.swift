import SocketIO
import Testing

struct ServerSessionHeartbeatTests {
    @Test(arguments: [ServerSession.Transport.polling, .websocket])
    func `revision 3 times out after 85 seconds`(transport: ServerSession.Transport) {
        var client = ScriptedClient(.three, transport)
        #expect(client.session.deadline == client.now + 85_000)
        #expect(client.tick(after: 84_999) == [])
        let closed = transport == .websocket ? ["close socket"] : []
        #expect(client.tick(after: 1) == closed + ["left", "ended: timed out"])
        #expect(client.session.deadline == .max)
    }

    @Test func `a held poll is closed at the timeout`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.poll()
        _ = client.poll()
        #expect(client.tick(after: 85_000) == ["poll: 1", "left", "ended: timed out"])
    }

    @Test(arguments: ["2", "3", "42[]", "40/foo", "6"])
    func `any packet of revision 3 restarts the timeout`(packet: String) throws {
        var client = ScriptedClient(.three, .polling)
        client.now += 80_000
        _ = try client.post(packet)
        #expect(client.session.deadline == client.now + 85_000)
    }

    @Test func `polls alone do not restart the timeout`() {
        var client = ScriptedClient(.three, .polling)
        let deadline = client.session.deadline
        client.now += 80_000
        _ = client.poll()
        #expect(client.session.deadline == deadline)
    }

    @Test func `the upgrade restarts the timeout`() {
        var client = ScriptedClient(.three, .polling)
        client.now += 80_000
        _ = client.open()
        _ = client.receive("5")
        #expect(client.session.deadline == client.now + 85_000)
    }

    @Test func `revision 4 must answer pings`() {
        var client = ScriptedClient(.four, .websocket)
        #expect(client.session.deadline == client.now + 25_000)
        #expect(client.tick(after: 24_999) == [])
        #expect(client.tick(after: 1) == ["send: 2"])
        #expect(client.session.deadline == client.now + 20_000)
        client.now += 19_000
        #expect(client.receive("3") == [])
        #expect(client.session.deadline == client.now + 25_000)
        #expect(client.tick(after: 25_000) == ["send: 2"])
        // Other packets are no pong.
        #expect(client.receive("40/foo") != [])
        #expect(client.tick(after: 20_000) == ["close socket", "ended: timed out"])
    }

    @Test func `a ping is queued for a poll and sent on the socket after an upgrade`() {
        var client = ScriptedClient(.four, .polling)
        #expect(client.tick(after: 25_000) == [])
        _ = client.open()
        #expect(client.receive("5") == ["send: 2"])
        #expect(client.receive("3") == [])
        #expect(client.tick(after: 25_000) == ["send: 2"])
    }

    @Test func `a held poll is answered with the ping`() throws {
        var client = ScriptedClient(.four, .polling)
        #expect(client.poll() == [])
        #expect(client.tick(after: 25_000) == ["poll: 2"])
        #expect(try client.post("3") == ["post: ok"])
    }

    @Test func `revision 4 may not ping`() {
        var client = ScriptedClient(.four, .websocket)
        #expect(client.receive("2").first == "close socket")
    }
}
