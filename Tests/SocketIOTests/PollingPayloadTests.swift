import SeededRandom
import SocketIO
import Testing

struct PollingPayloadTests {
    private let limits = EngineLimits()

    private func message(_ text: String) -> EnginePacket { EnginePacket(.message, .text(Array(text.utf8))) }

    @Test func `content types are as recorded`() {
        #expect(PollingFormat.text.contentType == "text/plain; charset=UTF-8")
        #expect(PollingFormat.binary.contentType == "application/octet-stream")
    }

    @Test func `text of revision 3 counts the bytes and encodes them again`() throws {
        let packets = [EnginePacket(.pong), message("é")]
        let body: [UInt8] = Array("1:33:4".utf8) + [0xC3, 0x83, 0xC2, 0xA9]
        #expect(PollingPayload.encode(packets, .three, .text) == body)
        #expect(try PollingPayload.decode(body, .three, .text, limits: limits) == packets)
    }

    @Test func `every byte of UTF-8 survives the double encoding`() throws {
        let packet = message("\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}")
        let body = PollingPayload.encode([packet], .three, .text)
        #expect(String(validating: body, as: UTF8.self) != nil)
        #expect(try PollingPayload.decode(body, .three, .text, limits: limits) == [packet])
    }

    @Test(arguments: ["2:4é", "3:4é", "2:4障", "4:4障", "5:4😀", "2:4Ā"])
    func `text encoded once is refused`(body: String) {
        #expect(throws: EngineError.self) {
            try PollingPayload.decode(Array(body.utf8), .three, .text, limits: limits)
        }
    }

    @Test(arguments: [[0xC0, 0xB2], [0xC1, 0xB2], [0xC2, 0x32], [0xC2], [0x80], [0xFF]] as [[UInt8]])
    func `text that is not UTF-8 is refused`(bytes: [UInt8]) {
        #expect(throws: EngineError.encodedOnce) {
            try PollingPayload.decode(Array("1:".utf8) + bytes, .three, .text, limits: limits)
        }
    }

    @Test func `an empty packet in text is skipped`() throws {
        #expect(try PollingPayload.decode(Array("0:".utf8), .three, .text, limits: limits) == [])
        #expect(try PollingPayload.decode(Array("0:1:2".utf8), .three, .text, limits: limits).count == 1)
    }

    @Test func `binary of revision 3 writes the length in digits`() throws {
        let open = EnginePacket(.open, .text(Array(repeating: UInt8(ascii: "x"), count: 96)))
        let packets = [open, message("0"), EnginePacket(.message, .binary([1, 2, 0xFF]))]
        var body: [UInt8] = [0, 9, 7, 0xFF, 0x30] + Array(repeating: UInt8(ascii: "x"), count: 96)
        body += [0, 2, 0xFF, 0x34, 0x30]
        body += [1, 4, 0xFF, 4, 1, 2, 0xFF]
        #expect(PollingPayload.encode(packets, .three, .binary) == body)
        #expect(try PollingPayload.decode(body, .three, .binary, limits: limits) == packets)
    }

    @Test func `text of revision 3 carries binary as base64`() throws {
        let packets = [EnginePacket(.message, .binary([1, 2, 3, 4]))]
        let body = Array("10:b4AQIDBA==".utf8)
        #expect(PollingPayload.encode(packets, .three, .text) == body)
        #expect(try PollingPayload.decode(body, .three, .text, limits: limits) == packets)
    }

    @Test func `revision 4 separates packets`() throws {
        let packets = [EnginePacket(.pong), message("0é"), EnginePacket(.message, .binary([1, 2, 3, 4]))]
        let body = Array("3\u{1E}40é\u{1E}bAQIDBA==".utf8)
        #expect(PollingPayload.encode(packets, .four, .text) == body)
        #expect(try PollingPayload.decode(body, .four, .text, limits: limits) == packets)
    }

    private static let brokenText: [(String, EngineError)] = [
        ("", .invalidLength),
        ("1", .invalidLength),
        ("12", .invalidLength),
        (":2", .invalidLength),
        ("x:2", .invalidLength),
        ("-1:2", .invalidLength),
        ("1.0:2", .invalidLength),
        (String(repeating: "9", count: 400), .invalidLength),
        ("\(String(repeating: "0", count: 400))1:2", .invalidLength),
        ("2:2", .truncatedPacket(missing: 1)),
        ("1:21", .invalidLength),
        ("1:22:", .truncatedPacket(missing: 2)),
        ("1:9", .unknownPacketType(0x39)),
        ("999999999999999:2", .packetTooLong(bytes: 999_999_999_999_999, limit: 1_000_000)),
    ]

    @Test(arguments: brokenText)
    func `a broken text payload is refused by name`(body: String, error: EngineError) {
        #expect(throws: error) {
            try PollingPayload.decode(Array(body.utf8), .three, .text, limits: limits)
        }
    }

    private static let brokenBinary: [([UInt8], EngineError)] = [
        ([0], .invalidLength),
        ([2, 1, 0xFF, 0x32], .unknownMarker(2)),
        ([0, 0xFF, 0x32], .invalidLength),
        ([0, 1, 0x32], .invalidLength),
        ([0, 10, 0xFF, 0x32], .invalidLength),
        ([0, 2, 0xFF, 0x32], .truncatedPacket(missing: 1)),
        ([0, 0, 0xFF], .emptyPacket),
        ([1, 0, 0xFF], .emptyPacket),
        ([1, 1, 0xFF, 7], .unknownPacketType(7)),
        ([0, 2, 0xFF, 0x34, 0xC3], .invalidUTF8),
        ([0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0xFF, 0x32], .invalidLength),
    ]

    @Test(arguments: brokenBinary)
    func `a broken binary payload is refused by name`(body: [UInt8], error: EngineError) {
        #expect(throws: error) { try PollingPayload.decode(body, .three, .binary, limits: limits) }
    }

    @Test(arguments: [
        ("", EngineError.emptyPacket), ("2\u{1E}", .emptyPacket), ("\u{1E}2", .emptyPacket),
        ("9", .unknownPacketType(0x39)), ("b*", .invalidBase64),
    ])
    func `a broken payload of revision 4 is refused by name`(body: String, error: EngineError) {
        #expect(throws: error) {
            try PollingPayload.decode(Array(body.utf8), .four, .text, limits: limits)
        }
    }

    @Test func `revision 4 has no binary payload`() {
        #expect(throws: EngineError.binaryPayload) {
            try PollingPayload.decode([0, 1, 0xFF, 0x32], .four, .binary, limits: limits)
        }
    }

    @Test(arguments: [(EngineRevision.three, PollingFormat.text), (.three, .binary), (.four, .text)])
    func `limits are exact to the packet and byte`(revision: EngineRevision, form: PollingFormat) throws {
        var limits = EngineLimits()
        limits.maximumPacketsOfPayload = 3
        limits.maximumPacketBytes = 5
        func decode(_ packets: [EnginePacket]) throws {
            let body = PollingPayload.encode(packets, revision, form)
            #expect(try PollingPayload.decode(body, revision, form, limits: limits) == packets)
        }
        try decode(Array(repeating: message("1234"), count: 3))
        #expect(throws: EngineError.tooManyPackets(limit: 3)) {
            try decode(Array(repeating: message(""), count: 4))
        }
        #expect(throws: EngineError.packetTooLong(bytes: 6, limit: 5)) { try decode([message("12345")]) }
        limits.maximumBodyBytes = 1
        #expect(throws: EngineError.self) { try decode([message("1234")]) }
    }

    @Test(arguments: [(EngineRevision.three, PollingFormat.text), (.three, .binary), (.four, .text)])
    func `encoded data is decoded again`(revision: EngineRevision, form: PollingFormat) throws {
        var random = SplitMix64(seed: 21)
        for _ in 0..<2000 {
            let packets = (0...random.number(below: 6)).map { _ in
                let kind = EnginePacket.Kind.allCases[random.number(below: 7)]
                if random.chance(4) {
                    return EnginePacket(revision == .three ? kind : .message, .binary(random.bytes(upTo: 20)))
                }
                return EnginePacket(kind, .text(random.text(upTo: 20)))
            }
            let body = PollingPayload.encode(packets, revision, form)
            #expect(try PollingPayload.decode(body, revision, form, limits: limits) == packets)
        }
    }
}
