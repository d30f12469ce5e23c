import SeededRandom
import SocketIO
import Testing

struct SocketPacketTests {
    @Test(arguments: [
        ("0", SocketPacket(.connect)),
        ("0/foo", SocketPacket(.connect, namespace: "/foo")),
        (#"0{"token":"x"}"#, SocketPacket(.connect, json: Array(#"{"token":"x"}"#.utf8))),
        (#"0/foo?x=1,{"t":1}"#, SocketPacket(.connect, namespace: "/foo?x=1", json: Array(#"{"t":1}"#.utf8))),
        ("1", SocketPacket(.disconnect)),
        ("1/foo", SocketPacket(.disconnect, namespace: "/foo")),
        (#"2["a",{}]"#, SocketPacket(.event, json: Array(#"["a",{}]"#.utf8))),
        (#"21["a"]"#, SocketPacket(.event, id: 1, json: Array(#"["a"]"#.utf8))),
        (#"2/foo,12["a"]"#, SocketPacket(.event, namespace: "/foo", id: 12, json: Array(#"["a"]"#.utf8))),
        (#"2/foo,["a,b"]"#, SocketPacket(.event, namespace: "/foo", json: Array(#"["a,b"]"#.utf8))),
        ("30[]", SocketPacket(.ack, id: 0, json: Array("[]".utf8))),
        (
            #"4/foo,"Invalid namespace""#,
            SocketPacket(.error, namespace: "/foo", json: Array(#""Invalid namespace""#.utf8))
        ),
        (
            #"51-["a",{"_placeholder":true,"num":0}]"#,
            SocketPacket(
                .binaryEvent,
                attachments: 1,
                json: Array(#"["a",{"_placeholder":true,"num":0}]"#.utf8)
            )
        ),
        (
            "52-/foo,7[]",
            SocketPacket(.binaryEvent, namespace: "/foo", id: 7, attachments: 2, json: Array("[]".utf8))
        ),
        ("60-3[]", SocketPacket(.binaryAck, id: 3, attachments: 0, json: Array("[]".utf8))),
    ])
    func `every kind survives a round trip`(text: String, packet: SocketPacket) throws {
        #expect(try SocketPacket(parsing: Array(text.utf8)) == packet)
        #expect(packet.text == Array(text.utf8))
    }

    @Test(arguments: [
        ("0/", SocketPacket(.connect)),
        ("0/,", SocketPacket(.connect)),
        ("0/foo,", SocketPacket(.connect, namespace: "/foo")),
        ("2007[]", SocketPacket(.event, id: 7, json: Array("[]".utf8))),
        ("2999999999999999", SocketPacket(.event, id: 999_999_999_999_999)),
        ("2nonsense", SocketPacket(.event, json: Array("nonsense".utf8))),
        ("2", SocketPacket(.event)),
    ])
    func `other spellings are parsed too`(text: String, packet: SocketPacket) throws {
        #expect(try SocketPacket(parsing: Array(text.utf8)) == packet)
    }

    private static let nines = String(repeating: "9", count: 300)

    private static let broken: [(String, EngineError)] = [
        ("", .unknownSocketPacketType(nil)),
        ("7", .unknownSocketPacketType(0x37)),
        ("x", .unknownSocketPacketType(0x78)),
        ("5", .invalidAttachments),
        ("5[]", .invalidAttachments),
        ("51[]", .invalidAttachments),
        ("5-[]", .invalidAttachments),
        ("6-1-[]", .invalidAttachments),
        ("5\(nines)-[]", .invalidAttachments),
        ("2\(nines)[]", .invalidAcknowledgementID),
        ("0/\(nines)\(nines)\(nines)\(nines)", .invalidNamespace),
    ]

    @Test(arguments: broken)
    func `an invalid packet is refused by name`(text: String, error: EngineError) {
        #expect(throws: error) { try SocketPacket(parsing: Array(text.utf8)) }
    }

    @Test func `a namespace that is not UTF-8 is refused`() {
        #expect(throws: EngineError.invalidNamespace) { try SocketPacket(parsing: [0x30, 0x2F, 0xFF]) }
    }

    @Test(arguments: [
        ("data", #"{"a":1}"#, #"42["data",{"a":1}]"#),
        ("ping", "", #"42["ping"]"#),
        ("a\"b\\c\u{1}é", "null", "42[\"a\\\"b\\\\c\\u0001é\",null]"),
    ])
    func `an event is a complete frame`(name: String, argument: String, frame: String) throws {
        let made = SocketPacket.eventFrame(name: name, argument: Array(argument.utf8))
        #expect(String(decoding: made, as: UTF8.self) == frame)
        #expect(try SocketPacket(parsing: made[1...]).kind == .event)
    }

    @Test func `a written packet is read back`() throws {
        var random = SplitMix64(seed: 22)
        for _ in 0..<5000 {
            let kind = SocketPacket.Kind.allCases[random.number(below: 7)]
            let isBinary = kind == .binaryEvent || kind == .binaryAck
            let packet = SocketPacket(
                kind,
                namespace: random.chance(2) ? "/" : "/room\(random.number(below: 99))",
                id: random.chance(2) ? nil : random.number(below: 1_000_000_000_000_000),
                attachments: isBinary ? random.number(below: 1000) : 0,
                json: random.chance(4) ? [] : Array("[".utf8) + random.text(upTo: 12)
            )
            #expect(try SocketPacket(parsing: packet.text) == packet)
        }
    }
}
