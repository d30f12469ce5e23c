/// Validates received packets before libmosquitto reads them, byte by byte.
///
/// The library aborts the process on some malformed packets (2.0.11: an unknown MQTT 5 property), so it must
/// never see one. It acts only on a packet's last byte, so it is safe to let it read each part after
/// ``check(_:)`` has accepted it, however the stream is divided.
/// - Source: MQTT 5.0 and 3.1.1, OASIS, chapters 2 and 3.
package struct PacketValidator: Sendable {
    /// The meaning of the next bytes.
    private enum Field {
        case type, length
        case connackFlags, reasonCode, packetID
        case topicLength, topic
        case propertyLength, property
        case integer, variableInteger
        case textLength, text
        case returnCodes, payload
    }

    /// More than any broker sends, and few enough for the library, which compares each with each.
    static let maximumProperties = 1000
    /// Most bytes of all properties of a packet, and of a packet other than PUBLISH.
    static let maximumPacketBytes = 1 << 20
    /// Most bytes of a PUBLISH; with MQTT 5, CONNECT announces it to the broker.
    package static let maximumPublishBytes = 16 << 20

    private let isV5: Bool
    private var hasAccepted = false
    private var hasPingAnswer = false

    private var packet = Packet.connack
    private var flags: UInt8 = 0
    private var field = Field.type
    /// Bytes of this field still to come; for a variable-length number, bytes so far.
    private var missing = 1
    private var value = 0
    /// Bytes of the packet, and of its properties, still to come.
    private var remaining = 0
    private var remainingProperties = 0
    private var properties = 0
    /// Texts of the current property still to come.
    private var texts = 0

    /// - Parameter version: ``MQTTProtocolChoice/v5``, or 3.1.1.
    package init(version: MQTTProtocolChoice) { isV5 = version == .v5 }

    /// Validates the next part of the stream.
    ///
    /// - Throws: What is malformed; the rest of the stream is then meaningless.
    package mutating func check(_ bytes: UnsafeRawBufferPointer) throws(MalformedPacket) {
        var index = 0
        while index < bytes.count {
            switch field {
            case .topic, .text, .returnCodes, .payload:
                let count = min(missing, bytes.count - index)
                index += count
                missing -= count
                if missing == 0 { try endField() }
            case .length, .propertyLength, .variableInteger:
                let byte = bytes[index]
                index += 1
                try readVariable(byte)
            case .type, .connackFlags, .reasonCode, .packetID, .topicLength, .property, .integer, .textLength:
                value = value << 8 | Int(bytes[index])
                index += 1
                missing -= 1
                if missing == 0 { try endField() }
            }
        }
    }

    /// Whether there was a PINGRESP since the last call.
    mutating func takePingAnswer() -> Bool {
        defer { hasPingAnswer = false }
        return hasPingAnswer
    }

    /// - Source: MQTT 5.0, 1.5.5 and 2.1.4: seven bits a byte, four bytes at most.
    private mutating func readVariable(_ byte: UInt8) throws(MalformedPacket) {
        value |= Int(byte & 0x7F) << (7 * missing)
        missing += 1
        let isLast = byte & 0x80 == 0
        if !isLast, missing == 4 { throw malformed("a number of more than four bytes") }
        // A truncated number must be found before the packet's last byte is passed on.
        let room: Int? =
            switch field {
            case .propertyLength: remaining
            case .variableInteger: remainingProperties
            default: nil
            }
        if let room, missing > room || missing == room && !isLast {
            throw malformed("a number that is cut off")
        }
        if isLast { try endField() }
    }

    // MARK: The order of fields

    private mutating func endField() throws(MalformedPacket) {
        switch field {
        case .type: try begin(UInt8(truncatingIfNeeded: value))
        case .length: try beginBody()
        case .connackFlags:
            guard value <= 1 else { throw malformed("flags that do not exist") }
            try expect(.reasonCode, 1)
        case .reasonCode: try endReasonCode()
        case .packetID: try endPacketID()
        case .topicLength:
            guard value > 0 else { throw malformed("no topic") }
            try expect(.topic, value)
        case .topic:
            if flags & 0x06 != 0 { return try expect(.packetID, 2) }
            try beginPropertiesOrRest()
        case .propertyLength: try beginProperties()
        case .property: try beginProperty()
        case .integer, .variableInteger, .text: try endPropertyField()
        case .textLength: try expectText(value)
        case .returnCodes, .payload: endPacket()
        }
    }

    private mutating func begin(_ head: UInt8) throws(MalformedPacket) {
        guard let packet = Packet(rawValue: head >> 4), isV5 || packet != .disconnect else {
            throw MalformedPacket("a packet of type \(head >> 4), which no broker may send here")
        }
        self.packet = packet
        flags = head & 0x0F
        guard hasAccepted || packet == .connack else {
            throw MalformedPacket("\(packet) before CONNACK")
        }
        if hasAccepted, packet == .connack { throw MalformedPacket("a second CONNACK") }
        hasAccepted = true
        let legal: Bool =
            switch packet {
            case .publish: flags & 0x06 != 0x06
            default: flags == 0
            }
        guard legal else { throw malformed("the flags \(flags)") }
        guard packet != .publish || flags & 0x04 == 0 else {
            throw malformed("QoS 2, although we subscribe with 1 at most")
        }
        start(.length)
    }

    private mutating func beginBody() throws(MalformedPacket) {
        remaining = value
        let limit = packet == .publish ? Self.maximumPublishBytes : Self.maximumPacketBytes
        guard remaining <= limit else { throw malformed("\(remaining) bytes; at most \(limit) are allowed") }
        switch packet {
        case .connack: try expect(.connackFlags, 1)
        case .publish: try expect(.topicLength, 2)
        case .puback, .suback, .unsuback: try expect(.packetID, 2)
        case .pingresp:
            hasPingAnswer = true
            try endBody()
        case .disconnect: if remaining == 0 { endPacket() } else { try expect(.reasonCode, 1) }
        }
    }

    private mutating func endReasonCode() throws(MalformedPacket) {
        switch packet {
        // A broker that supports only 3.1.1 refuses a CONNECT of version 5 in its own format.
        case .connack where isV5: if remaining == 0 { endPacket() } else { try expectPropertyLength() }
        case .connack: try endBody()
        default: if remaining == 0 { endPacket() } else { try expectPropertyLength() }
        }
    }

    private mutating func endPacketID() throws(MalformedPacket) {
        guard value > 0 else { throw malformed("the packet identifier 0") }
        switch packet {
        case .publish, .suback: try beginPropertiesOrRest()
        case .unsuback: if isV5 { try expectPropertyLength() } else { try endBody() }
        default:
            guard isV5, remaining > 0 else { return try endBody() }
            try expect(.reasonCode, 1)
        }
    }

    private mutating func beginPropertiesOrRest() throws(MalformedPacket) {
        if isV5 { try expectPropertyLength() } else { try beginRest() }
    }

    /// The fields after the properties.
    private mutating func beginRest() throws(MalformedPacket) {
        switch packet {
        case .publish: if remaining == 0 { endPacket() } else { try expect(.payload, remaining) }
        case .suback, .unsuback:
            guard remaining > 0 else { throw malformed("no reason code") }
            try expect(.returnCodes, remaining)
        default: try endBody()
        }
    }

    private mutating func endBody() throws(MalformedPacket) {
        guard remaining == 0 else { throw malformed("surplus bytes") }
        endPacket()
    }

    private mutating func endPacket() { start(.type, 1) }

    // MARK: Properties

    private mutating func expectPropertyLength() throws(MalformedPacket) {
        guard remaining > 0 else { throw malformed("no length of its properties") }
        start(.propertyLength)
    }

    private mutating func beginProperties() throws(MalformedPacket) {
        // The bytes of the length itself, which are not counted yet.
        remaining -= missing
        guard value <= remaining else { throw malformed("properties that are longer than the packet") }
        guard value <= Self.maximumPacketBytes else { throw malformed("\(value) bytes of properties") }
        remainingProperties = value
        properties = 0
        try nextProperty()
    }

    private mutating func nextProperty() throws(MalformedPacket) {
        guard remainingProperties > 0 else { return try beginRest() }
        properties += 1
        guard properties <= Self.maximumProperties else {
            throw malformed("more than \(Self.maximumProperties) properties")
        }
        try expectOfProperty(.property, 1)
    }

    private mutating func beginProperty() throws(MalformedPacket) {
        guard let property = PacketProperty(rawValue: UInt8(truncatingIfNeeded: value)) else {
            let digits = String(value, radix: 16)
            throw malformed("the unknown property 0x\(digits.count < 2 ? "0" : "")\(digits)")
        }
        guard property.packets.contains(packet) else {
            throw malformed("the property \(property), which it may not have")
        }
        switch property.form {
        case .integer(let bytes): try expectOfProperty(.integer, bytes)
        case .variable:
            guard remainingProperties > 0 else { throw malformed("a property that is cut off") }
            start(.variableInteger)
        case .texts(let count):
            texts = count
            try expectOfProperty(.textLength, 2)
        }
    }

    private mutating func expectText(_ count: Int) throws(MalformedPacket) {
        texts -= 1
        if count == 0 { try endPropertyField() } else { try expectOfProperty(.text, count) }
    }

    private mutating func endPropertyField() throws(MalformedPacket) {
        if field == .variableInteger {
            remaining -= missing
            remainingProperties -= missing
        }
        if texts > 0 { return try expectOfProperty(.textLength, 2) }
        try nextProperty()
    }

    // MARK: What comes next

    private mutating func expectOfProperty(_ next: Field, _ count: Int) throws(MalformedPacket) {
        guard count <= remainingProperties else { throw malformed("a property that is cut off") }
        remainingProperties -= count
        try expect(next, count)
    }

    /// A field of the packet's body with a number of bytes.
    private mutating func expect(_ next: Field, _ count: Int) throws(MalformedPacket) {
        guard count <= remaining else { throw malformed("a field that is cut off") }
        remaining -= count
        start(next, count)
    }

    private mutating func start(_ next: Field, _ count: Int = 0) {
        field = next
        missing = count
        value = 0
    }

    private func malformed(_ what: String) -> MalformedPacket { MalformedPacket("\(packet) with \(what)") }
}

/// A packet that violates the protocol.
package struct MalformedPacket: Error, Equatable, CustomStringConvertible {
    /// The packet and what is wrong with it, for a sentence that begins "the broker sent".
    package let description: String

    package init(_ description: String) { self.description = description }
}
