import SocketIO
import Testing

struct ServerSessionUpgradeTests {
    @Test func `polls are released at once while the socket is probed`() {
        var client = ScriptedClient(.three, .polling)
        #expect(client.open() == [])
        #expect(client.receive("2probe") == ["send: 3probe"])
        #expect(client.poll() == ["poll: 40"])
        #expect(client.poll() == ["poll: 6"])
        #expect(client.poll() == ["poll: 6"])
    }

    @Test func `queued packets are sent on the socket in order`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.open()
        _ = client.send(#"42["a"]"#)
        #expect(client.receive("2probe") == ["send: 3probe"])
        _ = client.send(#"42["b"]"#)
        #expect(!client.session.isDirect)
        #expect(client.receive("5") == ["send: 40", #"send: 42["a"]"#, #"send: 42["b"]"#])
        #expect(client.session.isDirect)
        #expect(client.session.queuedBytes == 0)
    }

    @Test func `an upgrade without a probe is accepted and releases the poll`() {
        var client = ScriptedClient(.four, .polling)
        #expect(client.poll() == [])
        _ = client.open()
        #expect(client.receive("5") == ["poll: 6"])
        #expect(client.receive("40") == [#"send: 40{"sid":"\#(ScriptedClient.id)"}"#, "joined"])
    }

    @Test func `ten seconds without the upgrade cost the socket, not the session`() throws {
        var client = ScriptedClient(.three, .polling)
        _ = client.open()
        _ = client.receive("2probe")
        #expect(client.session.deadline == client.now + 10_000)
        #expect(client.tick(after: 9999) == [])
        #expect(client.tick(after: 1) == ["close socket"])
        #expect(client.receive("5") == [])
        #expect(client.close() == [])
        #expect(client.poll() == ["poll: 40"])
        #expect(client.poll() == [])
        #expect(client.open() == [])
        #expect(client.receive("2probe") == ["send: 3probe", "poll: 6"])
    }

    @Test(arguments: ["2", "2probe ", "40", #"42["a"]"#, "1", "3", "", "9"])
    func `anything else on the socket costs the socket, not the session`(text: String) {
        var client = ScriptedClient(.three, .polling)
        _ = client.open()
        #expect(client.receive(text) == ["close socket"])
        #expect(client.poll() == ["poll: 40"])
    }

    @Test func `a second socket is refused while one is probed`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.open()
        #expect(client.open() == ["close socket"])
        #expect(client.receive("2probe") == ["send: 3probe"])
    }

    @Test func `a socket that closes before the upgrade leaves the session polling`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.open()
        _ = client.receive("2probe")
        #expect(client.close() == [])
        #expect(client.poll() == ["poll: 40"])
        #expect(client.poll() == [])
    }

    @Test func `a session that ends while it upgrades closes the socket too`() throws {
        var client = ScriptedClient(.three, .polling)
        _ = client.open()
        #expect(try client.post("1") == ["post: ok", "close socket", "left", "ended: closed by the client"])
    }
}
