import SeededRandom
import SocketIO
import Testing

/// Decoders give packets or an error for any input; decoded packets survive encoding and decoding.
struct DecoderFuzzTests {
    private static let packets = [
        "0{\"sid\":\"abcdefghijklmnopqrst\",\"upgrades\":[\"websocket\"],\"pingInterval\":25000}", "1", "2",
        "2probe", "3probe",
        "40", "40/foo,", "42[\"getData\",{\"thing\":\"0123\",\"key\":\"é障😀\"}]", "421[\"a\"]",
        "451-[\"a\",{\"num\":0}]", "5", "6",
        "b4AQIDBA==", "bAQIDBA==", "44/foo,\"Invalid namespace\"",
    ]

    /// Limits small enough to be reached often.
    private static var limits: EngineLimits {
        var limits = EngineLimits()
        limits.maximumPacketBytes = 300
        limits.maximumPacketsOfPayload = 20
        limits.maximumBodyBytes = 2000
        return limits
    }

    @Test(arguments: EngineRevision.allCases)
    func `any WebSocket message is a packet or an error`(revision: EngineRevision) {
        var fuzz = Fuzz(seed: 31, corpus: Self.packets)
        var read = 0
        for _ in 0..<Fuzz.count {
            let bytes = fuzz.next()
            for frame in [EngineFrame.text(bytes), .binary(bytes)] {
                guard let packet = try? EnginePacket(frame, revision) else { continue }
                read += 1
                guard (try? EnginePacket(packet.frame(revision), revision)) == packet else {
                    Issue.record("\(frame) reads as \(packet), which reads as something else")
                    continue
                }
            }
        }
        #expect(read > Fuzz.count / 10)
    }

    @Test(arguments: [(EngineRevision.three, PollingFormat.text), (.three, .binary), (.four, .text)])
    func `any polling body gives packets or an error`(revision: EngineRevision, form: PollingFormat) {
        var fuzz = Fuzz(seed: 32, corpus: Self.bodies(revision, form))
        let limits = Self.limits
        var read = 0
        for _ in 0..<Fuzz.count {
            let body = fuzz.next()
            guard let packets = try? PollingPayload.decode(body, revision, form, limits: limits) else {
                continue
            }
            read += 1
            let again = PollingPayload.encode(packets, revision, form)
            // Base64 without its padding grows when it is written again.
            if packets.isEmpty || again.count > body.count { continue }
            guard packets.count <= 20,
                (try? PollingPayload.decode(again, revision, form, limits: limits)) == packets
            else {
                Issue.record("\(body) reads as \(packets), which reads as something else")
                continue
            }
        }
        #expect(read > Fuzz.count / 100)
    }

    private static func bodies(_ revision: EngineRevision, _ form: PollingFormat) -> [[UInt8]] {
        let readable = packets.compactMap { try? EnginePacket(.text(Array($0.utf8)), revision) }
        let singles = readable.map { PollingPayload.encode([$0], revision, form) }
        return singles + [
            PollingPayload.encode(readable, revision, form), Array("0:".utf8), Array("2:4é".utf8),
        ]
    }

    @Test func `any message is a Socket.IO packet or an error`() {
        var fuzz = Fuzz(
            seed: 33,
            corpus: Self.packets.filter { $0.first == "4" }.map { String($0.dropFirst()) }
        )
        var read = 0
        for _ in 0..<Fuzz.count {
            let bytes = fuzz.next()
            guard let packet = try? SocketPacket(parsing: bytes) else { continue }
            read += 1
            // No JSON begins with a slash, but `0/,/foo,` has one here.
            if packet.json.first == UInt8(ascii: "/") { continue }
            guard (try? SocketPacket(parsing: packet.text)) == packet else {
                Issue.record("\(bytes) reads as \(packet), which reads as something else")
                continue
            }
        }
        #expect(read > Fuzz.count / 10)
    }
}
