import Rules
import SeededRandom
import Testing
import Things

struct SimulatedEventTests {
    private static let header = "time,kind,subject,value\n"

    private func refusal(_ lines: String) -> String? {
        do {
            _ = try SimulatedEvent.read(Self.header + lines, in: .utc)
            return nil
        } catch { return error.message }
    }

    @Test func `all kinds of events are read, and the value is the rest of the line`() throws {
        let events = try SimulatedEvent.read(
            Self.header
                + """
                2026-06-01T00:00:00,state,radiator,{"room_temp":30,"mode":"a"}\r
                2026-06-01T00:00:01Z,enter,zone:kitchen,
                2026-06-01T00:00:02,exit,zone:kitchen,
                2026-06-01T02:00:03+02:00,near,lamp,
                2026-06-01T00:00:04,far,thing:lamp
                2026-06-01T00:00:05,level,,Active

                2026-06-01T00:00:06,availability,meter,offline
                2026-06-01T00:00:07,location,,52.5 13.4
                2026-06-01T00:00:07,location,,52.5 13.4 25
                2026-06-01T00:00:08,beacon,id1: 0x0123456789abcdef0123 id2: 0x000056789012,-70
                2026-06-01T00:00:09,stop,,
                2026-06-01T00:00:10,start,,
                2026-06-01T00:00:11,clock,,2026-05-01
                2026-05-01T00:00:00,stop,,
                """,
            in: .utc
        )
        #expect(events.count == 14)
    }

    @Test(arguments: [
        ("2026-06-01,state,a", "line 2 has as value"),
        ("2026-06-01,state,,{}", "line 2 must have a thing"),
        ("2026-06-01,enter,kitchen,", "line 2 has as subject"),
        ("2026-06-01,level,,Asleep", "must be Disconnected, NotRunning, Background, Limited or Active"),
        ("2026-06-01,availability,a,on", "must be online or offline"),
        ("2026-06-01,location,,91 0", "must be a latitude and a longitude"),
        ("2026-06-01,location,,1", "must be a latitude and a longitude"),
        ("2026-06-01,beacon,id1: 1,-70", "line 2 has as subject"),
        ("2026-06-01,beacon,id1: 0x0123456789abcdef0123,-700", "must be dBm"),
        ("2026-06-01,clock,,later", "must be a time"),
        ("2026-06-01,jump,,", "line 2 has as kind"),
        ("2026-06-31,stop,,", "line 2 must begin with a time"),
        ("2026-06-01", "line 2 must have the columns"),
        ("2026-06-02,stop,,\n2026-06-01,start,,", "line 3 has a time before"),
    ])
    func `an event that is none is named with its line`(lines: String, message: String) {
        #expect(refusal(lines)?.contains(message) == true, "\(refusal(lines) ?? "none")")
    }

    @Test func `a file without a header is refused`() {
        #expect(throws: Refusal.self) { try SimulatedEvent.read("2026-06-01,stop,,", in: .utc) }
        #expect(throws: Refusal.self) { try SimulatedEvent.read("", in: .utc) }
    }

    @Test func `random files never trap`() {
        var fuzz = Fuzz(
            seed: 7,
            corpus: [
                Self.header + #"2026-06-01T00:00:00,state,a,{"t":1}"#,
                Self.header + "2026-06-01T00:00:00Z,location,,52 13 1e300\n2026-06-01,clock,,9999-12-31",
            ]
        )
        for _ in 0..<5_000 {
            let text = String(decoding: fuzz.next(), as: UTF8.self)
            _ = try? SimulatedEvent.read(text, in: .utc)
        }
    }
}
