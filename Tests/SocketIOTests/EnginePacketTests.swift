import SocketIO
import Testing

struct EnginePacketTests {
    @Test(arguments: [
        (EnginePacket.Kind.open, "0"), (.close, "1"), (.ping, "2"), (.pong, "3"), (.message, "4"),
        (.upgrade, "5"),
        (.noop, "6"),
    ])
    func `every kind is one digit in both revisions`(
        kind: EnginePacket.Kind,
        digit: String
    ) throws {
        for revision in EngineRevision.allCases {
            for text in ["", "probe", "é障😀"] {
                let packet = EnginePacket(kind, .text(Array(text.utf8)))
                let frame = EngineFrame.text(Array((digit + text).utf8))
                #expect(packet.frame(revision) == frame)
                #expect(try EnginePacket(frame, revision) == packet)
            }
        }
    }

    @Test(arguments: EnginePacket.Kind.allCases)
    func `binary of revision 3 begins with the kind as a byte`(kind: EnginePacket.Kind) throws {
        let packet = EnginePacket(kind, .binary([0, 0xFF, 0x80]))
        #expect(packet.frame(.three) == .binary([kind.rawValue, 0, 0xFF, 0x80]))
        #expect(try EnginePacket(.binary([kind.rawValue, 0, 0xFF, 0x80]), .three) == packet)
    }

    @Test(arguments: [[], [4], [0, 1, 2]] as [[UInt8]])
    func `binary of revision 4 is the data of a message`(data: [UInt8]) throws {
        let packet = EnginePacket(.message, .binary(data))
        #expect(packet.frame(.four) == .binary(data))
        #expect(try EnginePacket(.binary(data), .four) == packet)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), (">>>???", "Pj4+Pz8/"),
    ])
    func `text carries base64`(data: String, base64: String) throws {
        let packet = EnginePacket(.message, .binary(Array(data.utf8)))
        #expect(try EnginePacket(.text(Array("b4\(base64)".utf8)), .three) == packet)
        #expect(try EnginePacket(.text(Array("b\(base64)".utf8)), .four) == packet)
    }

    @Test(arguments: ["A", "AAAAA", "A===", "AA=A", "=", "AA A", "AA-_", "AAAA=", "AA==AA==", "é"])
    func `broken base64 is refused`(base64: String) {
        #expect(throws: EngineError.invalidBase64) {
            try EnginePacket(.text(Array("b4\(base64)".utf8)), .three)
        }
        #expect(throws: EngineError.invalidBase64) {
            try EnginePacket(.text(Array("b\(base64)".utf8)), .four)
        }
    }

    private static let broken: [(EngineFrame, EngineError)] = [
        (.text([]), .emptyPacket),
        (.binary([]), .emptyPacket),
        (.text([0x37]), .unknownPacketType(0x37)),
        (.text([0x2F]), .unknownPacketType(0x2F)),
        (.text([0]), .unknownPacketType(0)),
        (.text([0xFF]), .unknownPacketType(0xFF)),
        (.binary([7]), .unknownPacketType(7)),
        (.binary([0x34]), .unknownPacketType(0x34)),
        (.text([0x62]), .emptyPacket),
        (.text([0x62, 0x39]), .unknownPacketType(0x39)),
        (.text([0x34, 0xC3]), .invalidUTF8),
        (.text([0x34, 0xFF, 0x20]), .invalidUTF8),
        (.text([0x34, 0xED, 0xA0, 0x80]), .invalidUTF8),
        (.text([0x34, 0xC0, 0x80]), .invalidUTF8),
    ]

    @Test(arguments: broken)
    func `an invalid packet is refused by name`(frame: EngineFrame, error: EngineError) {
        #expect(throws: error) { try EnginePacket(frame, .three) }
        #expect(!error.description.isEmpty)
    }

    @Test func `errors show bytes that cannot be printed as numbers`() {
        #expect(EngineError.unknownPacketType(7).description.contains("0x7;"))
        #expect(EngineError.unknownPacketType(0x39).description.contains("'9'"))
        #expect(EngineError.unknownSocketPacketType(nil).description.contains("(none)"))
    }
}
