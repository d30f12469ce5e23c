import SeededRandom
import SocketIO
import Testing

@Suite struct ClientSessionFuzzTests {
    private static let corpus = [
        ClientUnderTest.hello3, ClientUnderTest.hello4, "40", #"40{"sid":"x"}"#, "41", "44/foo,\"no\"",
        #"42["data",{"thing":"a"}]"#, #"451-["a",{"_placeholder":true,"num":0}]"#, "2", "2probe", "3",
        "3probe",
        "1", "6", "b4AQID", "96:" + ClientUnderTest.hello3, #"2:4015:42["é"]"#, "6\u{1E}42[1]\u{1E}2",
    ]

    @Test func `any server input ends a session at most once within its limits`() {
        var fuzz = Fuzz(seed: 7, corpus: Self.corpus)
        var random = SplitMix64(seed: 8)
        var ended = 0
        var joined = 0
        var rounds = 0
        var inputs = 0
        while inputs < Fuzz.count {
            rounds += 1
            var client = ClientUnderTest(
                random.chance(2) ? .websocket : .polling,
                random.chance(2) ? .three : .four,
                takesEither: random.chance(2),
                upgrades: random.chance(2)
            )
            var lines: [String] = []
            if random.chance(2) {
                lines += client.receive(random.chance(2) ? ClientUnderTest.hello3 : ClientUnderTest.hello4)
                lines += client.receive("40")
            }
            for _ in 0..<8 {
                inputs += 1
                let bytes = fuzz.next()
                switch random.number(below: 9) {
                case 0, 1: lines += client.receive(String(decoding: bytes, as: UTF8.self))
                case 2: lines += client.receive(binary: bytes)
                case 3: lines += client.polled(bytes)
                case 4: lines += client.polled(bytes, type: "application/octet-stream")
                case 5: lines += client.posted(status: random.chance(5) ? 400 : 200)
                case 6: lines += random.chance(2) ? client.socketOpened() : client.send("42[1]")
                case 7: lines += random.chance(3) ? client.socketClosed() : client.send("42[2]")
                default: lines += client.tick(after: random.number(below: 12_000))
                }
            }
            let ends = lines.count { $0.hasPrefix("ended") }
            #expect(ends <= 1)
            #expect((ends == 1) == (client.session.deadline == nil))
            if let deadline = client.session.deadline, lines.isEmpty { #expect(deadline > 0) }
            ended += ends
            joined += lines.count { $0.hasPrefix("joined") }
        }
        // The inputs reach states after the handshake and after the end.
        #expect(joined > rounds / 50 && ended > rounds / 50)
    }
}
