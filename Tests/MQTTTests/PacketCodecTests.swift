import Foundation
import MQTT
import SeededRandom
import Testing

/// Publications and acknowledgements as they are encoded and decoded here.
struct PacketCodecTests {
    /// Publications in each test of random ones: a hundred thousand with TRILATERAL_FUZZ=100000.
    private static let count =
        ProcessInfo.processInfo.environment["TRILATERAL_FUZZ"].flatMap { Int($0) } ?? 4000

    private func limits(_ version: BrokerPackets.Version) -> MQTTLimits {
        var limits = MQTTLimits()
        limits.isV5 = version == .v5
        return limits
    }

    private static let texts = [
        "", "json", "a/b", "ü/日本/💡", "with space", String(repeating: "x", count: 300),
    ]

    private func randomMessage(_ dice: inout SplitMix64) -> MQTTMessage {
        var message = MQTTMessage(
            topic: "t/" + dice.pick(Self.texts, else: ""),
            payload: dice.chance(50) ? [UInt8](repeating: 7, count: 70_000) : dice.bytes(upTo: 200),
            qos: Bool.random(using: &dice) ? .atLeastOnce : .atMostOnce,
            isRetained: Bool.random(using: &dice)
        )
        guard Bool.random(using: &dice) else { return message }
        if dice.chance(2) { message.properties.responseTopic = dice.pick(Self.texts, else: "") }
        if dice.chance(2) { message.properties.correlationData = dice.bytes(upTo: 200) }
        if dice.chance(2) { message.properties.contentType = dice.pick(Self.texts, else: "") }
        if dice.chance(2) {
            message.properties.messageExpirySeconds = .random(in: .min ... .max, using: &dice)
        }
        for _ in 0..<dice.number(below: 4) {
            let (name, value) = (dice.pick(Self.texts, else: ""), dice.pick(Self.texts, else: ""))
            message.properties.userProperties.append(MQTTUserProperty(name: name, value: value))
        }
        return message
    }

    private func encoded(_ body: (inout PacketBuffer) -> Void) -> [UInt8] {
        var buffer = PacketBuffer()
        body(&buffer)
        var bytes: [UInt8] = []
        _ = buffer.write {
            bytes = Array($0)
            return $0.count
        }
        #expect(buffer.isEmpty)
        return bytes
    }

    /// What is decoded of a stream that comes in parts of random size.
    private func decoded(
        _ stream: [UInt8],
        _ version: BrokerPackets.Version,
        _ dice: inout SplitMix64,
        payloadLimit: Int = .max
    ) throws -> (own: [IncomingPacket], forLibrary: [UInt8]) {
        var splitter = PacketSplitter()
        var (own, forLibrary): ([IncomingPacket], [UInt8]) = ([], [])
        var rest = stream[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(dice.number(below: dice.chance(2) ? 10 : 50_000) + 1))
            rest = rest.dropFirst(part.count)
            let failure: MalformedPacket? = part.withUnsafeBytes { bytes in
                splitter.split(bytes) { part in
                    switch part {
                    case .library(let bytes): forLibrary += bytes
                    case .own(let packet):
                        do throws(MalformedPacket) {
                            own.append(
                                try IncomingPacket(packet, isV5: version == .v5, payloadLimit: payloadLimit)
                            )
                        } catch { return error }
                    }
                    return nil
                }
            }
            if let failure { throw failure }
        }
        return (own, forLibrary)
    }

    @Test(arguments: BrokerPackets.Version.allCases)
    func `what is encoded is valid, has the predicted size, and is decoded to the same`(
        version: BrokerPackets.Version
    ) throws {
        var dice = SplitMix64(seed: 29)
        var validator = PacketValidator(version: version.choice)
        try validator.check(BrokerPackets.connack(version))
        for number in 0..<Self.count {
            let message = randomMessage(&dice)
            let id = UInt16(number % 65_535 + 1)
            let packet = PublishPacket(message, over: limits(version))
            let bytes = encoded {
                $0.append(publish: message, as: packet, id: id)
                $0.append(acknowledgementOf: id)
            }
            try #require(bytes.count == packet.size + 4)
            try validator.check(bytes)
            var expected = message
            if version == .v311 { expected.properties = MQTTProperties() }
            let found = try decoded(bytes, version, &dice)
            try #require(found.forLibrary.isEmpty)
            try #require(
                found.own == [
                    .publish(expected, id: message.qos == .atMostOnce ? nil : id, subscriptions: []),
                    .acknowledgement(id: id, code: 0),
                ]
            )
        }
    }

    @Test func `the flags that a broker does not support are left out`() {
        var limits = MQTTLimits()
        (limits.maximumQoS, limits.hasRetained) = (.atMostOnce, false)
        let message = MQTTMessage(topic: "a", payload: [9], qos: .atLeastOnce, isRetained: true)
        let bytes = encoded { $0.append(publish: message, as: PublishPacket(message, over: limits), id: 1) }
        #expect(bytes == [0x30, 5, 0, 1, 97, 0, 9])
    }

    @Test func `packets are encoded as the specification says`() {
        var message = MQTTMessage(topic: "a/b", payload: [1, 2], qos: .atLeastOnce, isRetained: true)
        message.properties.messageExpirySeconds = 0x0102_0304
        message.properties.contentType = "c"
        message.properties.responseTopic = "r"
        message.properties.correlationData = [5]
        message.properties.userProperties = [MQTTUserProperty(name: "n", value: "v")]
        let bytes = encoded {
            $0.append(publish: message, as: PublishPacket(message, over: limits(.v5)), id: 0x1234)
        }
        let properties: [UInt8] =
            [0x02, 1, 2, 3, 4, 0x03, 0, 1, 99, 0x08, 0, 1, 114, 0x09, 0, 1, 5, 0x26, 0, 1, 110, 0, 1, 118]
        #expect(
            bytes == [0x33, 34, 0, 3, 97, 47, 98, 0x12, 0x34, UInt8(properties.count)] + properties + [1, 2]
        )
        #expect(encoded { $0.append(acknowledgementOf: 0x1234) } == [0x40, 2, 0x12, 0x34])
    }

    @Test(arguments: BrokerPackets.Version.allCases)
    func `a stream is divided into publications, acknowledgements and the rest`(
        version: BrokerPackets.Version
    ) throws {
        let stream = BrokerPackets.stream(version)
        let rest =
            BrokerPackets.connack(version)
            + BrokerPackets.legal(version).filter { $0[0] != 0x20 && !IncomingPacket.isOwn($0[0]) }.flatMap(
                \.self
            )
        for seed in UInt64(1)...300 {
            var dice = SplitMix64(seed: seed)
            let found = try decoded(stream, version, &dice)
            #expect(found.forLibrary == rest)
            #expect(found.own.count == (version == .v5 ? 7 : 4))
        }
    }

    @Test func `a payload beyond the limit is left out and its size is told`() throws {
        var dice = SplitMix64(seed: 1)
        let message = MQTTMessage(topic: "t", payload: Array(repeating: 1, count: 101))
        let bytes = encoded {
            $0.append(publish: message, as: PublishPacket(message, over: limits(.v5)), id: 0)
        }
        var expected = message
        (expected.payload, expected.oversizeBytes) = ([], 101)
        let found = try decoded(bytes, .v5, &dice, payloadLimit: 100)
        #expect(found.own == [.publish(expected, id: nil, subscriptions: [])])
    }

    @Test(
        arguments: [
            ([0x30, 4, 0, 1, 0xFF, 0], "PUBLISH with a text that is not valid"),
            ([0x30, 4, 0, 1, 0x07, 0], "PUBLISH with a text that is not valid"),
            (
                [0x30, 12, 0, 1, 97, 8, 0x03, 0, 1, 97, 0x03, 0, 1, 97],
                "PUBLISH with two properties contentType"
            ),
            ([0x40, 8, 0, 1, 0, 4, 0x1F, 0, 1, 0xC0], "PUBACK with a text that is not valid"),
        ] as [([UInt8], String)]
    )
    func `values that no broker may send are refused`(bytes: [UInt8], reason: String) throws {
        var validator = PacketValidator(version: .v5)
        try validator.check(BrokerPackets.connack(.v5) + bytes)
        var dice = SplitMix64(seed: 1)
        #expect(throws: MalformedPacket(reason)) { try decoded(bytes, .v5, &dice) }
    }

    @Test func `a message that matches several subscriptions names them all`() throws {
        var dice = SplitMix64(seed: 1)
        let bytes: [UInt8] = [0x30, 9, 0, 1, 97, 5, 0x0B, 1, 0x0B, 0x81, 0x01]
        let found = try decoded(bytes, .v5, &dice)
        #expect(found.own == [.publish(MQTTMessage(topic: "a"), id: nil, subscriptions: [1, 129])])
    }

    @Test func `damaged packets do not crash the decoder, validated or not`() {
        var dice = SplitMix64(seed: 7)
        for version in BrokerPackets.Version.allCases {
            for _ in 0..<Self.count {
                _ = try? decoded(BrokerPackets.damaged(version, &dice), version, &dice)
                let packet = [0x30] + dice.bytes(upTo: 30)
                _ = try? packet.withUnsafeBytes { bytes throws(MalformedPacket) in
                    try IncomingPacket(bytes, isV5: version == .v5, payloadLimit: 5)
                }
            }
        }
    }

    @Test func `what the socket does not take is written later, and QoS 0 counts when its last byte is`() {
        var buffer = PacketBuffer()
        let message = MQTTMessage(topic: "t", payload: Array(repeating: 1, count: 20))
        for _ in 0..<3 {
            buffer.append(publish: message, as: PublishPacket(message, over: limits(.v5)), id: 0)
        }
        buffer.append(acknowledgementOf: 9)
        var (stream, written): ([UInt8], [Int]) = ([], [])
        while !buffer.isEmpty {
            let result = buffer.write { bytes in
                stream += bytes.prefix(10)
                return min(10, bytes.count)
            }
            written.append(result.publications)
        }
        // 26 bytes each.
        #expect(written == [0, 0, 1, 0, 0, 1, 0, 1, 0])
        #expect(stream.count == 82)
        #expect(buffer.write { _ in -1 } == (-1, 0))
    }
}
