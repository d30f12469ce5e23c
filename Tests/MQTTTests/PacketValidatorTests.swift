import MQTT
import SeededRandom
import Testing

struct PacketValidatorTests {
    @Test(arguments: BrokerPackets.Version.allCases)
    func `every packet that a broker may send is accepted`(version: BrokerPackets.Version) throws {
        for packet in BrokerPackets.legal(version) {
            var validator = PacketValidator(version: version.choice)
            if packet.first != 0x20 { try validator.check(BrokerPackets.connack(version)) }
            try validator.check(packet)
            try validator.check([0xD0, 0])
        }
    }

    @Test(arguments: BrokerPackets.Version.allCases)
    func `a valid stream is accepted however it is divided`(version: BrokerPackets.Version) throws {
        let stream = BrokerPackets.stream(version)
        for cut in 1..<stream.count {
            var validator = PacketValidator(version: version.choice)
            try validator.check(Array(stream[..<cut]))
            try validator.check(Array(stream[cut...]))
        }
        var validator = PacketValidator(version: version.choice)
        for byte in stream { try validator.check([byte]) }
    }

    @Test(
        arguments: [
            ([0x20, 5, 0, 0, 2, 0x7F, 0], "CONNACK with the unknown property 0x7f"),
            ([0x20, 5, 0, 0, 2, 0x03, 0], "CONNACK with the property contentType, which it may not have"),
            ([0x20, 3, 2, 0, 0], "CONNACK with flags that do not exist"),
            ([0x20, 3, 0, 0, 1], "CONNACK with properties that are longer than the packet"),
            ([0x20, 4, 0, 0, 0, 0], "CONNACK with surplus bytes"),
            ([0x20, 1, 0], "CONNACK with a field that is cut off"),
            ([0x20, 0xFF, 0xFF, 0xFF, 0xFF], "CONNACK with a number of more than four bytes"),
            ([0x20, 0xFF, 0xFF, 0xFF, 0x7F], "CONNACK with 268435455 bytes; at most 1048576 are allowed"),
            ([0x20, 5, 0, 0, 2, 0x21, 0], "CONNACK with a property that is cut off"),
            ([0x20, 6, 0, 0, 3, 0x1F, 0, 1], "CONNACK with a property that is cut off"),
            ([0x20, 3, 0, 0, 0x80], "CONNACK with a number that is cut off"),
            ([0x21, 3, 0, 0, 0], "CONNACK with the flags 1"),
            ([0xD0, 0], "PINGRESP before CONNACK"), (Array("HTTP/1.1".utf8), "PUBACK before CONNACK"),
            ([0x10, 0], "a packet of type 1, which no broker may send here"),
        ] as [([UInt8], String)]
    )
    func `a malformed first packet is refused by name`(bytes: [UInt8], reason: String) {
        var validator = PacketValidator(version: .v5)
        #expect(throws: MalformedPacket(reason)) { try validator.check(bytes) }
    }

    @Test(
        arguments: [
            (.v5, [0x20, 3, 0, 0, 0], "a second CONNACK"),
            (.v5, [0x36, 4, 0, 1, 65, 0], "PUBLISH with the flags 6"),
            (.v5, [0x30, 3, 0, 0, 0], "PUBLISH with no topic"),
            (
                .v5, [0x30, 0x81, 0x80, 0x80, 0x08],
                "PUBLISH with 16777217 bytes; at most 16777216 are allowed"
            ),
            (.v5, [0x30, 3, 0, 9, 65], "PUBLISH with a field that is cut off"),
            (.v5, [0x32, 6, 0, 1, 65, 0, 0, 0], "PUBLISH with the packet identifier 0"),
            (.v5, [0x30, 7, 0, 1, 65, 3, 0x23, 0, 1], "PUBLISH with the unknown property 0x23"),
            (.v5, [0x30, 5, 0, 1, 65, 1, 0x0B], "PUBLISH with a property that is cut off"),
            (.v5, [0x30, 6, 0, 1, 65, 2, 0x0B, 0x80], "PUBLISH with a number that is cut off"),
            (.v5, [0x90, 3, 0, 1, 0], "SUBACK with no reason code"),
            (.v5, [0xB0, 2, 0, 1], "UNSUBACK with no length of its properties"),
            (.v5, [0x34, 6, 0, 1, 65, 0, 2, 0], "PUBLISH with QoS 2, although we subscribe with 1 at most"),
            (.v311, [0x3C, 5, 0, 1, 65, 0, 2], "PUBLISH with QoS 2, although we subscribe with 1 at most"),
            (.v5, [0x50, 2, 0, 1], "a packet of type 5, which no broker may send here"),
            (.v311, [0x62, 2, 0, 1], "a packet of type 6, which no broker may send here"),
            (.v5, [0x70, 2, 0, 1], "a packet of type 7, which no broker may send here"),
            (.v5, [0x40, 5, 0, 1, 0, 1, 0x7F], "PUBACK with the unknown property 0x7f"),
            (.v5, [0xE0, 3, 0, 1, 0x7F], "DISCONNECT with the unknown property 0x7f"),
            (.v5, [0xD0, 1, 0], "PINGRESP with surplus bytes"),
            (.v5, [0xF0, 0], "a packet of type 15, which no broker may send here"),
            (.v311, [0x90, 2, 0, 1], "SUBACK with no reason code"),
            (.v311, [0x40, 3, 0, 1, 0], "PUBACK with surplus bytes"),
            (.v311, [0xE0, 0], "a packet of type 14, which no broker may send here"),
        ] as [(MQTTProtocolChoice, [UInt8], String)]
    )
    func `a malformed later packet is refused by name`(
        version: MQTTProtocolChoice,
        bytes: [UInt8],
        reason: String
    ) throws {
        var validator = PacketValidator(version: version)
        try validator.check(BrokerPackets.connack(version == .v5 ? .v5 : .v311))
        #expect(throws: MalformedPacket(reason)) { try validator.check(bytes) }
    }

    @Test func `a flood of properties is refused`() throws {
        func publish(_ properties: Int) -> [UInt8] {
            let all = (0..<properties).flatMap { _ in [0x26, 0, 0, 0, 0] as [UInt8] }
            return BrokerPackets.packet(0x30, [0, 1, 65] + BrokerPackets.variable(all.count) + all)
        }
        var validator = PacketValidator(version: .v5)
        try validator.check(BrokerPackets.connack(.v5))
        try validator.check(publish(1000))
        #expect(throws: MalformedPacket("PUBLISH with more than 1000 properties")) {
            try validator.check(publish(1001))
        }
    }

    @Test(arguments: BrokerPackets.Version.allCases, 1...20)
    func `a damaged stream gives the same error however it is divided`(
        version: BrokerPackets.Version,
        seed: UInt64
    ) {
        var dice = SplitMix64(seed: seed)
        for _ in 0..<1000 {
            let stream = BrokerPackets.damaged(version, &dice)
            var whole = PacketValidator(version: version.choice)
            let verdict = whole.verdict(stream)
            var parts = PacketValidator(version: version.choice)
            var other: MalformedPacket?
            var rest = stream[...]
            while !rest.isEmpty, other == nil {
                let count = Int.random(in: 1...min(rest.count, 7), using: &dice)
                other = parts.verdict(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(verdict == other)
        }
    }
}

extension PacketValidator {
    mutating func check(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try check($0) }
    }

    fileprivate mutating func verdict(_ bytes: [UInt8]) -> MalformedPacket? {
        do { try check(bytes) } catch { return error as? MalformedPacket }
        return nil
    }
}
