import SocketIO
import Testing

@Suite struct ClientSessionPollingTests {
    private static let poll = "poll EIO=4&transport=polling&sid=abc"
    private static let hello =
        #"0{"sid":"abc","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000}"#

    private func joined(upgrades: Bool = false) -> ClientUnderTest {
        var client = ClientUnderTest(.polling, .four, takesEither: true, upgrades: upgrades)
        _ = client.polled(Self.hello)
        _ = client.posted()
        _ = client.polled(#"40{"sid":"x"}"#)
        return client
    }

    @Test func `revision 4 by polling`() {
        var client = ClientUnderTest(.polling, .four, takesEither: true)
        #expect(client.opening == ["poll EIO=4&transport=polling"])
        #expect(client.polled(Self.hello) == ["post EIO=4&transport=polling&sid=abc 40", Self.poll])
        #expect(client.posted() == [])
        #expect(client.polled(#"40{"sid":"x"}"#) == ["joined 4", Self.poll])
        #expect(
            client.polled("2\u{1E}42[\"a\"]") == [
                "post EIO=4&transport=polling&sid=abc 3", #"event ["a"]"#, Self.poll,
            ]
        )
        // While a post is pending the others are queued and sent together.
        #expect(client.send("42[1]") == [] && client.send("42[2]") == [])
        #expect(client.posted() == ["post EIO=4&transport=polling&sid=abc 42[1]|42[2]"])
    }

    @Test func `revision 3 by polling, text or binary`() {
        for type in ["text/plain; charset=UTF-8", "application/octet-stream"] {
            let form: PollingFormat = type.hasPrefix("text") ? .text : .binary
            func body(_ texts: String...) -> [UInt8] {
                let packets = texts.compactMap { try? EnginePacket(.text(Array($0.utf8)), .three) }
                return PollingPayload.encode(packets, .three, form)
            }
            var client = ClientUnderTest(.polling, .four, takesEither: true)
            let poll = "poll EIO=3&transport=polling&sid=abc"
            #expect(client.polled(body(ClientUnderTest.hello3), type: type) == [poll])
            #expect(
                client.polled(body("40", #"42["é"]"#), type: type) == ["joined 3", #"event ["é"]"#, poll]
            )
            #expect(client.tick(after: 25_000) == ["post binary 0 1 ff 32"])
            #expect(client.posted() == [])
        }
    }

    @Test func `a refusal of the server ends the session with its message`() {
        var client = ClientUnderTest(.polling, .four)
        #expect(
            client.polled(#"{"code":5,"message":"Unsupported"}"#, status: 400)
                == [
                    #"ended: the server refused the session with status 400: {"code":5,"message":"Unsupported"}"#
                ]
        )
        var posting = joined()
        _ = posting.send("42[1]")
        #expect(posting.posted(status: 500) == ["ended: the server refused the session with status 500: ok"])
        var page = ClientUnderTest(.polling, .four, takesEither: true)
        #expect(page.polled("<html>", type: "text/html").first?.hasPrefix("ended") == true)
    }

    @Test func `the queue of unsent packets is limited`() {
        var client = joined()
        var lines: [String] = []
        var count = 0
        while !lines.contains(where: { $0.hasPrefix("ended") }), count < 20_000 {
            lines = client.send("42[\(count)]")
            count += 1
        }
        #expect(lines == ["ended: the server does not accept data fast enough"])
        #expect(count <= 10_002)
    }

    @Test func `a polling body is limited to the server's maximum`() {
        var client = ClientUnderTest(.polling, .four)
        _ = client.polled(#"0{"sid":"abc","maxPayload":100}"#)
        _ = client.polled(#"40{"sid":"x"}"#)
        for number in 1...5 { #expect(client.send("42[\"aaaaaaaaaaaaaaaaaa\(number)\"]") == []) }
        let posts = (0..<5).flatMap { _ in client.posted() }
        #expect(posts.count == 5 && posts.allSatisfy { $0.utf8.count < 100 })
    }

    @Test func `closing sends a close packet`() {
        var client = joined()
        #expect(client.close() == ["post EIO=4&transport=polling&sid=abc 1", "ended: closed"])
    }

    @Test func `polls that are released at once are delayed and finally end the session`() {
        var client = joined()
        for _ in 1..<10 {
            #expect(client.polled("6") == [])
            #expect(client.tick(after: 99) == [] && client.tick(after: 1) == [Self.poll])
        }
        #expect(client.polled("6\u{1E}6") == ["ended: the server answers every poll without data"])
        #expect(client.session.deadline == nil)
    }

    @Test func `a poll with packets or a held poll resets the count of empty polls`() {
        var client = joined()
        for number in 1...30 {
            #expect(client.polled("6") == [])
            #expect(client.tick(after: 100) == [Self.poll])
            guard number % 9 == 0 else { continue }
            if number % 2 == 0 {
                #expect(client.polled(#"42["a"]"#) == [#"event ["a"]"#, Self.poll])
            } else {
                _ = client.tick(after: 1000)
                #expect(client.polled("6") == [] && client.tick(after: 100) == [Self.poll])
            }
        }
    }

    // MARK: Upgrade

    @Test func `the client switches to the websocket when no polling request is pending`() {
        var client = ClientUnderTest(.polling, .four, takesEither: true, upgrades: true)
        _ = client.polled(Self.hello)
        _ = client.posted()
        #expect(
            client.polled(#"40{"sid":"x"}"#)
                == ["joined 4", "socket EIO=4&transport=websocket&sid=abc", Self.poll]
        )
        #expect(client.send("42[1]") == ["post EIO=4&transport=polling&sid=abc 42[1]"])
        #expect(client.socketOpened() == ["send 2probe"])
        #expect(client.receive("3probe") == [])
        // From here on nothing is posted.
        #expect(client.send("42[2]") == [])
        #expect(client.polled("6") == [])
        #expect(!client.session.isOnWebsocket)
        #expect(client.posted() == ["send 5", "send 42[2]"])
        #expect(client.session.isOnWebsocket)
        #expect(client.send("42[3]") == ["send 42[3]"])
        #expect(client.receive(#"42["b"]"#) == [#"event ["b"]"#])
        #expect(client.socketClosed() == ["ended: the connection was closed"])
    }

    @Test func `polling continues without a websocket`() {
        for end in ["failed", "closed", "nonsense", "late"] {
            var client = joined(upgrades: true)
            if end != "failed" { #expect(client.socketOpened() == ["send 2probe"]) }
            let lines =
                switch end {
                case "failed": client.socketFailed(.refused(status: 400, ""))
                case "closed": client.socketClosed()
                case "nonsense": client.receive("3what")
                default: client.tick(after: 10_000)
                }
            #expect(lines == (["failed", "closed"].contains(end) ? [] : ["close socket"]), "\(end)")
            #expect(client.send("42[1]") == ["post EIO=4&transport=polling&sid=abc 42[1]"])
            #expect(client.polled(#"42["a"]"#) == [#"event ["a"]"#, Self.poll])
        }
    }

    @Test func `a websocket that is lost before the switch leaves polling unchanged`() {
        var client = joined(upgrades: true)
        _ = client.socketOpened()
        _ = client.receive("3probe")
        #expect(client.send("42[1]") == [])
        #expect(client.socketClosed() == ["post EIO=4&transport=polling&sid=abc 42[1]"])
        #expect(client.polled("6") == [])
        #expect(client.tick(after: 100) == [Self.poll])
    }

    @Test func `polls slow down during a probe and a delayed poll is dropped for the websocket`() {
        var client = joined(upgrades: true)
        for _ in 0..<20 {
            #expect(client.polled("6") == [])
            #expect(client.tick(after: 100) == [Self.poll])
        }
        #expect(client.polled("6") == [])
        #expect(client.socketOpened() == ["send 2probe"])
        #expect(client.receive("3probe") == ["send 5"])
        #expect(client.session.isOnWebsocket)
        #expect(client.tick(after: 100) == [])
    }

    @Test func `a delayed poll is sent in time when the websocket fails`() {
        var client = joined(upgrades: true)
        #expect(client.polled("6") == [])
        #expect(client.socketClosed() == [])
        #expect(client.tick(after: 100) == [Self.poll])
    }

    @Test func `no websocket is opened when upgrades are disabled`() {
        var client = ClientUnderTest(.polling, .four, upgrades: false)
        _ = client.polled(Self.hello)
        #expect(client.polled(#"40{"sid":"x"}"#) == ["joined 4", Self.poll])
    }
}
