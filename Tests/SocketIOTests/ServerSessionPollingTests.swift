import SocketIO
import Testing

struct ServerSessionPollingTests {
    @Test(arguments: PollingFormat.allCases)
    func `answers of revision 3 have the format of each poll`(form: PollingFormat) throws {
        var client = ScriptedClient(.three, .polling)
        guard
            case .answerPoll(.payload(_, let contentType))? = client.session.poll(form, now: client.now).first
        else {
            Issue.record("the poll was not answered")
            return
        }
        #expect(contentType == form.contentType)
    }

    @Test func `answers of revision 4 are text`() {
        let client = ScriptedClient(.four, .polling, form: .binary)
        #expect(
            client.opening == [
                #"poll: 0{"sid":"\#(ScriptedClient.id)","upgrades":["websocket"],"pingInterval":25000,"#
                    + #""pingTimeout":20000,"maxPayload":1000000}"#
            ]
        )
    }

    @Test func `a second poll while one is held ends both and the session`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.poll()
        #expect(client.poll() == [])
        #expect(
            client.poll() == [
                "poll: 1", "poll: 500", "left", "ended: protocol error: a second poll while one waits",
            ]
        )
    }

    @Test func `packets stay queued for the next poll when the held one is gone`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.poll()
        #expect(client.poll() == [])
        client.session.pollWentAway()
        #expect(client.send(#"42["a"]"#) == [])
        #expect(client.send(#"42["b"]"#) == [])
        #expect(client.session.queuedPackets == 2)
        #expect(client.session.queuedBytes == 14)
        #expect(client.poll() == [#"poll: 42["a"] 42["b"]"#])
        #expect(client.session.queuedBytes == 0)
    }

    @Test func `several packets of one answer are together no longer than the longest packet`() {
        var settings = ServerSession.Settings()
        settings.limits.maximumPacketBytes = 15
        var client = ScriptedClient(.three, .polling, settings: settings)
        _ = client.poll()
        for name in ["a", "b", "c"] { _ = client.send(#"42["\#(name)"]"#) }
        #expect(client.poll() == [#"poll: 42["a"] 42["b"]"#])
        #expect(client.poll() == [#"poll: 42["c"]"#])
    }

    @Test func `a close releases the waiting poll and what follows is not read`() throws {
        var client = ScriptedClient(.three, .polling)
        _ = client.poll()
        _ = client.poll()
        #expect(
            try client.post(#"42["a"]"#, "1", #"42["b"]"#) == [
                #"event: ["a"]"#, "post: ok", "poll: 6", "left", "ended: closed by the client",
            ]
        )
    }

    @Test(arguments: ["", "2:4é", "9:2", "1:9", "nonsense"])
    func `an invalid payload is answered ok and ends the session`(body: String) throws {
        var client = ScriptedClient(.three, .polling)
        _ = client.poll()
        let lines = client.post(body: Array(body.utf8))
        #expect(lines.first == "post: ok")
        #expect(lines.last?.hasPrefix("ended: protocol error: ") == true)
        #expect(client.poll() == [])
    }

    @Test func `packets before a bad one of the same payload are handled`() throws {
        var client = ScriptedClient(.four, .polling)
        #expect(
            try client.post("40", #"42["a"]"#, "2", #"42["b"]"#) == [
                "joined", #"event: ["a"]"#, "post: ok", "left",
                "ended: protocol error: a ping from a client of revision 4, in which only the server sends pings",
            ]
        )
    }

    @Test func `a POST after the upgrade is refused and changes nothing`() throws {
        var client = ScriptedClient(.three, .websocket)
        #expect(try client.post("1") == [#"post: {"code":3,"message":"Bad request"}"#])
        #expect(client.receive("2") == ["send: 3"])
    }

    @Test func `revision 4 joins with a packet that may contain a token`() throws {
        var client = ScriptedClient(.four, .polling)
        #expect(client.send(#"42["early"]"#) == [])
        #expect(try client.post(#"42["early"]"#) == ["post: ok"])
        #expect(try client.post(#"40{"token":"x"}"#) == ["joined", "post: ok"])
        #expect(client.poll() == [#"poll: 40{"sid":"\#(ScriptedClient.id)"}"#])
        #expect(try client.post("40/foo,") == ["post: ok"])
        #expect(client.poll() == [#"poll: 44/foo,{"message":"Invalid namespace"}"#])
    }

    @Test func `one answer carries at most one payload's packets`() {
        var settings = ServerSession.Settings()
        settings.limits.maximumPacketsOfOwnPayload = 2
        var client = ScriptedClient(.three, .polling, settings: settings)
        _ = client.send(#"42["a"]"#)
        _ = client.send(#"42["b"]"#)
        #expect(client.poll() == [#"poll: 40 42["a"]"#])
        #expect(client.poll() == [#"poll: 42["b"]"#])
        #expect(client.poll() == [])
    }

    @Test func `our own end closes a waiting poll`() {
        var client = ScriptedClient(.three, .polling)
        _ = client.poll()
        _ = client.poll()
        #expect(client.end(.serverStops) == ["poll: 1", "left", "ended: the server is stopping"])
        #expect(client.end(.serverStops) == [])
    }

    @Test(arguments: EngineHTTPError.allCases)
    func `errors have their code and message`(error: EngineHTTPError) {
        let json = String(decoding: error.json, as: UTF8.self)
        #expect(json == #"{"code":\#(error.code),"message":"\#(error.message)"}"#)
        #expect(EngineHTTPError(rawValue: error.code) == error)
    }
}
