import MQTT
import SeededRandom

/// Packets as a broker sends them, and such as it must not.
enum BrokerPackets {
    enum Version: String, Sendable, CaseIterable {
        case v5, v311

        var choice: MQTTProtocolChoice { self == .v5 ? .v5 : .v311 }
    }

    static func packet(_ head: UInt8, _ body: [UInt8]) -> [UInt8] { [head] + variable(body.count) + body }

    static func variable(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        repeat {
            bytes.append(UInt8(rest % 128) | (rest >= 128 ? 0x80 : 0))
            rest /= 128
        } while rest > 0
        return bytes
    }

    private static func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func properties(_ all: [UInt8]...) -> [UInt8] {
        let bytes = all.flatMap(\.self)
        return variable(bytes.count) + bytes
    }

    private static let user = [0x26] + text("key") + text("value")
    private static let reason = [0x1F] + text("because")

    static func connack(_ version: Version) -> [UInt8] {
        version == .v5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
    }

    /// One of each kind, and of each form in which it may come.
    static func legal(_ version: Version) -> [[UInt8]] {
        let topic = text("b/t")
        guard version == .v5 else {
            return [
                [0x20, 2, 0, 0], [0x20, 2, 0, 5], packet(0x30, topic), packet(0x30, topic + [1, 2, 3]),
                packet(0x33, topic + [0, 1, 9]), [0x40, 2, 0, 1],
                [0x90, 3, 0, 1, 0x80], [0x90, 5, 0, 2, 0, 1, 2],
                [0xB0, 2, 0, 1], [0xD0, 0],
            ]
        }
        let session: [UInt8] = [0x11, 0, 0, 0, 1, 0x21, 0, 9, 0x24, 1, 0x25, 1, 0x27, 0, 1, 0, 0, 0x22, 0, 9]
        let more: [UInt8] = [0x28, 1, 0x29, 1, 0x2A, 1, 0x13, 0, 30, 0x12] + text("id") + [0x1A] + text("r")
        let content: [UInt8] = [0x01, 1, 0x02, 0, 0, 0, 9, 0x0B, 1, 0x0B, 0x81, 0x01, 0x03] + text("json")
        let reply: [UInt8] = [0x08] + text("r/x") + [0x09, 0, 2, 0, 0xFF]
        var all: [[UInt8]] = [
            connack(.v5), [0x20, 2, 0, 1], packet(0x20, [1, 0] + properties(session, more, user, reason)),
            packet(
                0x20,
                [0, 0x87] + properties([0x1C] + text("else"), [0x15] + text("m"), [0x16, 0, 1, 7])
            ),
            packet(0x30, topic + [0]), packet(0x31, topic + [0, 1, 2, 3]),
            packet(0x32, topic + [0, 1] + properties(content, reply, user, user) + [9]),
            [0xE0, 0], [0xE0, 1, 0x8E],
            packet(0xE0, [0x8B] + properties(reason, user, [0x1C] + text("else"))), [0xD0, 0],
            packet(0x90, [0, 1] + properties(reason, user) + [0, 1, 0x87]), [0x90, 4, 0, 1, 0, 0],
            [0xB0, 4, 0, 1, 0, 0], packet(0xB0, [0, 1] + properties(reason, user) + [0, 0x11]),
        ]
        all += [[0x40, 2, 0, 1], [0x40, 3, 0, 1, 0x10], [0x40, 4, 0, 1, 0, 0]]
        return all + [packet(0x40, [0, 1, 0x87] + properties(reason, user))]
    }

    /// CONNACK and one of each other packet.
    static func stream(_ version: Version) -> [UInt8] {
        connack(version) + legal(version).filter { $0.first != 0x20 }.flatMap(\.self)
    }

    /// A few packets with some bytes changed, left out, doubled or put in.
    static func damaged(_ version: Version, _ dice: inout SplitMix64) -> [UInt8] {
        let packets = legal(version)
        var stream = Bool.random(using: &dice) ? connack(version) : []
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            stream += packets.randomElement(using: &dice) ?? []
        }
        for _ in 0..<Int.random(in: 1...3, using: &dice) { damage(&stream, &dice) }
        return stream
    }

    static func damage(_ bytes: inout [UInt8], _ dice: inout SplitMix64) {
        guard let index = bytes.indices.randomElement(using: &dice) else { return }
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: bytes[index] = .random(in: .min ... .max, using: &dice)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(.random(in: .min ... .max, using: &dice), at: index)
        case 4: bytes.removeSubrange(index...)
        default: bytes.insert(contentsOf: bytes[index...].prefix(8), at: index)
        }
    }
}
