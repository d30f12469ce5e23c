import SocketIO
import Testing

@Suite struct ClientSessionTests {
    @Test func `a server of revision 3 joins the client by itself`() {
        var client = ClientUnderTest(.websocket, .three)
        #expect(client.opening == ["socket EIO=3&transport=websocket"])
        #expect(client.socketOpened() == [])
        #expect(client.receive(ClientUnderTest.hello3) == [])
        #expect(client.receive("40") == ["joined 3"])
        #expect(client.receive(#"42["data",{"a":1}]"#) == [#"event ["data",{"a":1}]"#])
        #expect(client.send(#"42["x",1]"#) == [#"send 42["x",1]"#])
    }

    @Test func `joining a server of revision 4 is requested`() {
        var client = ClientUnderTest(.websocket, .four)
        #expect(client.opening == ["socket EIO=4&transport=websocket"])
        #expect(client.receive(ClientUnderTest.hello4) == ["send 40"])
        #expect(client.send(#"42["x",1]"#) == [])
        #expect(client.receive(#"40{"sid":"x"}"#) == ["joined 4"])
        #expect(client.receive("2") == ["send 3"])
        #expect(client.receive("2what") == ["send 3what"])
    }

    @Test func `the revision is detected by maxPayload or by who sends 40 first`() {
        var modern = ClientUnderTest(.websocket, .four, takesEither: true)
        #expect(modern.receive(ClientUnderTest.hello4) == ["send 40"])
        #expect(modern.receive(#"40{"sid":"x"}"#) == ["joined 4"])

        var original = ClientUnderTest(.websocket, .four, takesEither: true)
        #expect(original.receive(ClientUnderTest.hello3) == [])
        #expect(original.receive("40") == ["joined 3"])
        // Now we ping.
        #expect(original.tick(after: 25_000) == ["send 2"])

        var older = ClientUnderTest(.websocket, .four, takesEither: true)
        #expect(older.receive(ClientUnderTest.hello3) == [])
        #expect(older.session.deadline == older.now + 300)
        #expect(older.tick(after: 300) == ["send 40"])
        #expect(older.receive(#"40{"sid":"x"}"#) == ["joined 4"])
        #expect(older.tick(after: 25_000) == [])
    }

    @Test func `a server of the wrong revision is reported`() {
        var client = ClientUnderTest(.websocket, .four)
        _ = client.receive(ClientUnderTest.hello3)
        #expect(client.receive("40").first?.contains("revision 3") == true)
    }

    @Test func `revision 3 sends pings and detects silence`() {
        var client = ClientUnderTest.joined(.three)
        #expect(client.tick(after: 24_999) == [])
        #expect(client.tick(after: 1) == ["send 2"])
        #expect(client.receive("3") == [])
        #expect(client.tick(after: 25_000) == ["send 2"])
        // Not the whole 60 seconds that the server allows itself.
        #expect(client.tick(after: 19_999) == [])
        #expect(client.tick(after: 1) == ["ended: no message from the server within 45.0 s"])
        #expect(client.session.deadline == nil)
        #expect(client.receive("3") == [] && client.tick(after: 1) == [] && client.close() == [])
    }

    @Test func `revision 4 waits for pings`() {
        var client = ClientUnderTest.joined(.four)
        #expect(client.tick(after: 44_999) == [])
        #expect(client.receive("2") == ["send 3"])
        #expect(client.tick(after: 44_999) == [])
        #expect(client.tick(after: 1) == ["ended: no message from the server within 45.0 s"])
    }

    @Test(arguments: [
        "", "9", "x", "0", "0{}", #"0{"sid":""}"#, #"0{"sid":7}"#, #"0{"sid":"a&b"}"#, #"0["sid"]"#,
        #"0{"sid":"abc""#, #"0{"sid":"abc"#, "47", "4",
    ])
    func `an invalid handshake ends the session`(text: String) {
        var client = ClientUnderTest(.websocket, .four, takesEither: true)
        let lines = client.receive(text)
        #expect(lines.count == 1 && lines[0].hasPrefix("ended: the server does not speak the protocol"))
    }

    @Test(arguments: [
        #"0{"sid":"abc"}"#, #"0 { "sid" : "abc" , "upgrades":[], "more": {"a":[1,{"b":null}]} } "#,
        #"0{"sid":"abc","pingInterval":"often","pingTimeout":null,"upgrades":7}"#,
        #"0{"sid":"abc","pingInterval":-1,"pingTimeout":1e300}"#,
        #"0{"x":"\"}","sid":"abc","pingInterval":NaN}"#,
    ])
    func `an unusual handshake is parsed leniently`(text: String) {
        var client = ClientUnderTest(.websocket, .three)
        #expect(client.receive(text) == [])
        #expect(client.receive("40") == ["joined 3"])
        #expect(client.session.deadline.map { $0 > client.now } == true)
    }

    @Test func `a client that is not joined in time ends the session`() {
        var silent = ClientUnderTest(.websocket, .four, takesEither: true)
        #expect(silent.session.deadline == silent.now + 10_000)
        #expect(silent.tick(after: 10_000) == ["ended: no welcome from the server within 10.0 s"])
        var half = ClientUnderTest(.websocket, .three)
        _ = half.receive(ClientUnderTest.hello3)
        #expect(half.tick(after: 10_000) == ["ended: no welcome from the server within 10.0 s"])
    }

    @Test func `the reasons why the server ended the session are distinguished`() {
        var closed = ClientUnderTest.joined(.three)
        #expect(closed.receive("1") == ["ended: the server closed the session"])
        var left = ClientUnderTest.joined(.four)
        #expect(
            left.receive("41") == [
                "ended: the server refused the connection: it disconnected us from the namespace /"
            ]
        )
        var refused = ClientUnderTest(.websocket, .four)
        _ = refused.receive(ClientUnderTest.hello4)
        #expect(
            refused.receive(#"44{"message":"no"}"#)
                == [#"ended: the server refused the connection: {"message":"no"}"#]
        )
        var lost = ClientUnderTest.joined(.four)
        #expect(lost.socketClosed() == ["ended: the connection was closed"])
        var unreachable = ClientUnderTest(.websocket, .four)
        #expect(unreachable.socketFailed(.unreachable("nobody")) == ["ended: nobody"])
    }

    @Test func `packets of other namespaces are skipped`() {
        var client = ClientUnderTest.joined(.three)
        for text in ["40", "40/foo", #"42/foo,["data",1]"#, "43[]", "6", "5", "3", #"44/foo,"no""#] {
            #expect(client.receive(text) == [], "\(text)")
        }
        #expect(client.receive(#"4217["data",1]"#) == [#"event ["data",1]"#])
    }

    @Test func `binary parts are dropped with their event`() {
        var client = ClientUnderTest.joined(.three)
        #expect(client.receive(#"452-["data",{"_placeholder":true,"num":0}]"#) == [])
        #expect(client.receive(binary: [4, 1]) == [])
        #expect(client.receive(binary: [4, 2]) == [])
        #expect(client.receive(#"42["a"]"#) == [#"event ["a"]"#])
        #expect(client.receive(#"451000000-["data"]"#).first?.hasPrefix("ended") == true)
    }

    @Test func `a message that is too long ends the session`() {
        var settings = ClientSession.Settings()
        settings.limits.maximumPacketBytes = 100
        var client = ClientUnderTest(.websocket, .three, settings: settings)
        _ = client.receive(ClientUnderTest.hello3)
        #expect(client.receive("42" + String(repeating: "x", count: 99)).first?.hasPrefix("ended") == true)
    }

    @Test(arguments: EngineRevision.allCases)
    func `we end a session once`(revision: EngineRevision) {
        var client = ClientUnderTest.joined(revision)
        #expect(client.close() == ["ended: closed"])
        #expect(client.close() == [] && client.send("42[]") == [] && client.socketClosed() == [])
    }
}
