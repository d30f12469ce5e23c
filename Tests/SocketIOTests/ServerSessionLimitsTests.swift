import SocketIO
import Testing

struct ServerSessionLimitsTests {
    private func settings(_ change: (inout EngineLimits) -> Void) -> ServerSession.Settings {
        var settings = ServerSession.Settings()
        change(&settings.limits)
        return settings
    }

    @Test func `too many packets waiting end the session`() {
        var client = ScriptedClient(.three, .polling, settings: settings { $0.maximumQueuedPackets = 3 })
        #expect(client.send("42[]") == [])
        #expect(client.send("42[]") == [])
        #expect(client.send("42[]") == ["left", "ended: the client does not fetch its data fast enough"])
        #expect(client.session.queuedPackets == 0)
        #expect(client.send("42[]") == [])
    }

    @Test func `too many bytes waiting end the session`() {
        var client = ScriptedClient(.three, .polling, settings: settings { $0.maximumQueuedBytes = 10 })
        #expect(client.send("42[]") == [])
        #expect(client.send("42[]") == [])
        #expect(client.session.queuedBytes == 10)
        #expect(client.send("42[]").last == "ended: the client does not fetch its data fast enough")
    }

    @Test func `unfetched pongs count towards the limit`() throws {
        var client = ScriptedClient(.three, .polling, settings: settings { $0.maximumQueuedPackets = 3 })
        #expect(try client.post("2", "2") == ["post: ok"])
        #expect(
            try client.post("2", "2") == [
                "post: ok", "left", "ended: the client does not fetch its data fast enough",
            ]
        )
    }

    @Test func `a frame that is too long ends the session`() {
        var client = ScriptedClient(.three, .websocket, settings: settings { $0.maximumPacketBytes = 7 })
        #expect(client.receive(#"42["a"]"#) == [#"event: ["a"]"#])
        #expect(
            client.receive(#"42["ab"]"#).last
                == "ended: protocol error: a packet of 8 bytes; at most 7 are allowed"
        )
    }

    @Test func `a frame that is too long costs a probing socket only`() {
        var client = ScriptedClient(.three, .polling, settings: settings { $0.maximumPacketBytes = 7 })
        _ = client.open()
        #expect(client.receive("2probe long") == ["close socket"])
        #expect(client.poll() == ["poll: 40"])
    }

    @Test func `a payload of too many packets ends the session`() throws {
        var client = ScriptedClient(.three, .polling, settings: settings { $0.maximumPacketsOfPayload = 2 })
        #expect(try client.post("2", "2") == ["post: ok"])
        #expect(
            try client.post("2", "2", "2").last == "ended: protocol error: more than 2 packets in one body"
        )
    }

    @Test func `too many attachments end the session`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive("45100-[]") == [])
        #expect(
            client.receive("45101-[]").last
                == "ended: protocol error: 101 attachments; at most 100 are allowed"
        )
    }

    @Test func `an overlong namespace is not sent back`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(client.receive("40/\(String(repeating: "n", count: 2000))") == [])
    }

    @Test func `no limit traps`() throws {
        for revision in EngineRevision.allCases {
            var client = ScriptedClient(
                revision,
                .polling,
                settings: settings {
                    $0.maximumPacketBytes = 0
                    $0.maximumBodyBytes = 0
                    $0.maximumPacketsOfPayload = 0
                    $0.maximumPacketsOfOwnPayload = 0
                    $0.maximumAttachments = 0
                    $0.maximumQueuedPackets = 0
                    $0.maximumQueuedBytes = 0
                }
            )
            #expect(try client.post("40").first == "post: ok")
            #expect(client.poll() == [])
        }
    }
}
