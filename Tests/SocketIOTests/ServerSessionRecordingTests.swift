import SocketIO
import Testing

/// Recorded behaviour of the original server, step by step; `T` stands for an id.
struct ServerSessionRecordingTests {
    private let asked = #"42["getData",{"thing":"T","key":"color"}]"#
    private let question = #"event: ["getData",{"thing":"T","key":"color"}]"#
    private let answer = #"42["data",{"data":{"color":"red"},"thing":"T"}]"#

    @Test func `eio-polling`() throws {
        var client = ScriptedClient(.three, .polling)
        let id = ScriptedClient.id
        #expect(
            client.opening == [
                #"poll: 0{"sid":"\#(id)","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":60000}"#,
                "joined",
            ]
        )
        #expect(client.poll() == ["poll: 40"])
        #expect(try client.post(asked) == [question, "post: ok"])
        #expect(client.send(answer) == [])
        #expect(client.poll() == ["poll: \(answer)"])

        // Ping and an event in one payload; both answers in one payload.
        #expect(try client.post("2", asked) == [question, "post: ok"])
        #expect(client.send(answer) == [])
        #expect(client.poll() == ["poll: 3 \(answer)"])

        // A waiting poll is answered at once.
        #expect(client.poll() == [])
        #expect(try client.post(asked) == [question, "post: ok"])
        #expect(client.send(answer) == ["poll: \(answer)"])

        // Text beyond ASCII, both ways.
        let set = #"["setData",{"thing":"T","key":"t","value":"é障😀"}]"#
        #expect(try client.post("42\(set)") == ["event: \(set)", "post: ok"])
        let got = #"42["data",{"data":{"t":"é障😀"},"thing":"T"}]"#
        #expect(client.send(got) == [])
        #expect(client.poll() == ["poll: \(got)"])

        #expect(try client.post("1") == ["post: ok", "left", "ended: closed by the client"])
        #expect(client.poll() == [])
    }

    @Test func `eio-websocket`() {
        var client = ScriptedClient(.three, .websocket)
        #expect(
            client.opening == [
                #"send: 0{"sid":"\#(ScriptedClient.id)","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#,
                "send: 40", "joined",
            ]
        )
        #expect(client.receive("2") == ["send: 3"])
        // A ping on an open connection is answered without its data.
        #expect(client.receive("2probe") == ["send: 3"])
        #expect(client.receive(asked) == [question])
        #expect(client.send(answer) == ["send: \(answer)"])
        // An ack id is not acknowledged.
        #expect(client.receive(#"421["getData",{"thing":"T","key":"color"}]"#) == [question])
        #expect(client.receive("40/foo") == [#"send: 44/foo,"Invalid namespace""#])
        #expect(client.receive("41") == ["left"])
        #expect(client.receive(asked) == [])
        #expect(client.send(answer) == [])
        #expect(client.close() == ["ended: the connection was lost"])
    }

    @Test(arguments: [true, false])
    func `sock-upgrade, before or after the first poll`(pollsFirst: Bool) {
        var client = ScriptedClient(.three, .polling, form: .binary)
        if pollsFirst {
            #expect(client.poll() == ["poll: 40"])
            #expect(client.poll() == [])
        }
        #expect(client.open() == [])
        #expect(client.receive("2probe") == ["send: 3probe"] + (pollsFirst ? ["poll: 6"] : []))
        #expect(client.receive("5") == (pollsFirst ? [] : ["send: 40"]))
        let subscribed = #"["subscribe",{"environment":"T","all":true}]"#
        #expect(client.receive("42\(subscribed)") == ["event: \(subscribed)"])
        #expect(client.send(answer) == ["send: \(answer)"])
        #expect(client.poll() == [#"poll: {"code":3,"message":"Bad request"}"#])
        #expect(client.close() == ["left", "ended: the connection was lost"])
    }
}
