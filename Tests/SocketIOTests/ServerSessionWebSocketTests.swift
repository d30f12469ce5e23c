import SocketIO
import Testing

struct ServerSessionWebSocketTests {
    @Test func `revision 4 opens and joins`() {
        var client = ScriptedClient(.four, .websocket)
        #expect(
            client.opening == [
                #"send: 0{"sid":"\#(ScriptedClient.id)","upgrades":[],"pingInterval":25000,"#
                    + #""pingTimeout":20000,"maxPayload":1000000}"#
            ]
        )
        #expect(!client.session.isDirect)
        #expect(client.receive("40") == [#"send: 40{"sid":"\#(ScriptedClient.id)"}"#, "joined"])
        #expect(client.session.isDirect)
    }

    @Test func `a client that joined already is notified again and joins once`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive("40") == ["send: 40"])
        #expect(client.receive("40/?token=x") == ["send: 40"])
        #expect(client.receive("41") == ["left"])
        #expect(client.receive("41") == [])
        #expect(!client.session.isDirect)
        #expect(client.receive("40") == ["send: 40", "joined"])
    }

    @Test(arguments: [
        #"42/foo,["a"]"#, "41/foo", "430[]", #"44"why""#, "0", "1", "3", "5", "6", "4", "49", "45x-[]", "451",
        "4x",
    ])
    func `meaningless data is ignored by revision 3`(text: String) {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive(text) == [])
        #expect(client.receive("2") == ["send: 3"])
    }

    @Test(arguments: ["4", "49", "45x-[]"])
    func `data that is not Socket.IO ends a session of revision 4`(text: String) {
        var client = ScriptedClient(.four, .websocket)
        let lines = client.receive(text)
        #expect(lines.first == "close socket")
        #expect(lines.last?.hasPrefix("ended: protocol error: ") == true)
    }

    @Test(arguments: ["", "7", "x", "b4*", "b9AAAA"])
    func `data that is not Engine.IO ends the session silently`(text: String) {
        var client = ScriptedClient(.three, .websocket)
        let lines = client.receive(text)
        #expect(lines.dropLast() == ["close socket", "left"])
        #expect(lines.last?.hasPrefix("ended: protocol error: ") == true)
        #expect(client.receive("2") == [])
        #expect(client.close() == [])
    }

    @Test(arguments: ["[", "nonsense", "[]", "{}", ""])
    func `the JSON of an event is not parsed`(json: String) {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive("42\(json)") == ["event: \(json)"])
    }

    @Test(arguments: [(EngineRevision.three, [UInt8(4)]), (.four, [])])
    func `a binary event is dropped with its attachments`(revision: EngineRevision, prefix: [UInt8]) {
        var client = ScriptedClient(revision, .websocket)
        if revision == .four { _ = client.receive("40") }
        #expect(client.receive(#"452-["a",{"_placeholder":true,"num":0}]"#) == [])
        #expect(client.receive(binary: prefix + [1, 2, 3]) == [])
        #expect(client.receive(revision == .three ? "b4AQID" : "bAQID") == [])
        #expect(client.receive(#"42["b"]"#) == [#"event: ["b"]"#])
        let lines = client.receive(binary: prefix + [1])
        #expect(lines.last == "ended: protocol error: binary data that no packet announced")
    }

    @Test func `attachments of another namespace or an ack are dropped`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive(#"451-/foo,["a"]"#) == [])
        #expect(client.receive(binary: [4, 1]) == [])
        #expect(client.receive("461-3[]") == [])
        #expect(client.receive(binary: [4, 1]) == [])
        #expect(client.receive(#"450-["none"]"#) == [#"event: ["none"]"#])
    }

    @Test func `text that follows a binary event ends the wait for its attachments`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive(#"453-["a"]"#) == [])
        #expect(client.receive(#"42["b"]"#) == [#"event: ["b"]"#])
        #expect(client.receive(binary: [4, 1]).last?.hasPrefix("ended: ") == true)
    }

    @Test func `numbers of any length are handled`() {
        let long = String(repeating: "8", count: 400)
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive(#"42\#(long)["a"]"#) == [])
        #expect(client.receive("45\(long)-[]") == [])
        #expect(client.receive("43\(long)[]") == [])
        #expect(client.receive("2") == ["send: 3"])
    }

    @Test func `our own end sends a close packet first`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(
            client.end(.serverStops) == ["send: 1", "close socket", "left", "ended: the server is stopping"]
        )
    }

    @Test func `a socket for a session that has one is refused`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.open() == ["close socket"])
        #expect(client.receive("2") == ["send: 3"])
    }
}
