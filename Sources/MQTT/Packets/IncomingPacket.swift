import CMosquitto

/// A packet that is decoded here instead of by the library.
package enum IncomingPacket: Equatable {
    /// - id: With QoS 1, to acknowledge it.
    case publish(MQTTMessage, id: UInt16?, subscriptions: [UInt32])
    case acknowledgement(id: UInt16, code: UInt8)

    /// Whether a packet that begins with this byte is decoded here.
    package static func isOwn(_ head: UInt8) -> Bool { head >> 4 == 3 || head >> 4 == 4 }

    static func isPublish(_ packet: UnsafeRawBufferPointer) -> Bool { packet[0] >> 4 == 3 }

    /// Whether a PUBLISH is to be acknowledged.
    static func isAcknowledged(_ packet: UnsafeRawBufferPointer) -> Bool { packet[0] & 0x06 != 0 }

    /// Decodes a complete packet for which ``isOwn(_:)`` is true.
    ///
    /// ``PacketValidator`` has checked its form; here the values are checked, as the library does.
    /// - Parameter payloadLimit: A longer payload is left out.
    /// - Source: MQTT 5.0, 3.3 and 3.4.
    package init(
        _ packet: UnsafeRawBufferPointer,
        isV5: Bool,
        payloadLimit: Int
    ) throws(MalformedPacket) {
        var reader = PacketReader(packet, head: packet.first ?? 0)
        _ = try reader.variable()
        guard reader.kind == .publish else {
            let id = try reader.number16()
            let code = isV5 && !reader.isAtEnd ? try reader.byte() : 0
            if isV5, !reader.isAtEnd { _ = try reader.properties() }
            self = .acknowledgement(id: id, code: code)
            return
        }
        let topic = try reader.text()
        let qos = MQTTQoS(rawValue: reader.head >> 1 & 0x03) ?? .atMostOnce
        let id = qos == .atMostOnce ? nil : try reader.number16()
        let (properties, subscriptions) = isV5 ? try reader.properties() : (MQTTProperties(), [])
        let payload = reader.rest
        var message = MQTTMessage(
            topic: topic,
            payload: payload.count > payloadLimit ? [] : Array(payload),
            qos: qos,
            isRetained: reader.head & 0x01 != 0,
            properties: properties
        )
        if payload.count > payloadLimit { message.oversizeBytes = payload.count }
        self = .publish(message, id: id, subscriptions: subscriptions)
    }
}

/// Reads the fields of a packet.
private struct PacketReader {
    let head: UInt8
    private let bytes: UnsafeRawBufferPointer
    private var index = 1

    init(_ packet: UnsafeRawBufferPointer, head: UInt8) { (bytes, self.head) = (packet, head) }

    var kind: Packet { head >> 4 == Packet.publish.rawValue ? .publish : .puback }

    var isAtEnd: Bool { index >= bytes.count }

    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[index...]) }

    mutating func byte() throws(MalformedPacket) -> UInt8 {
        guard index < bytes.count else { throw malformed("a field that is cut off") }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func number16() throws(MalformedPacket) -> UInt16 {
        UInt16(try byte()) << 8 | UInt16(try byte())
    }

    mutating func variable() throws(MalformedPacket) -> Int {
        var (number, shift) = (0, 0)
        while true {
            let byte = try byte()
            number |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return number }
            guard shift < 28 else { throw malformed("a number of more than four bytes") }
        }
    }

    mutating func binary() throws(MalformedPacket) -> UnsafeRawBufferPointer {
        let count = Int(try number16())
        guard index + count <= bytes.count else { throw malformed("a field that is cut off") }
        defer { index += count }
        return UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
    }

    /// - Source: MQTT 5.0, 1.5.4.
    mutating func text() throws(MalformedPacket) -> String {
        let bytes = try binary()
        guard TopicRules.isText(bytes) else { throw malformed("a text that is not valid") }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func properties() throws(MalformedPacket) -> (MQTTProperties, subscriptions: [UInt32]) {
        var properties = MQTTProperties()
        var subscriptions: [UInt32] = []
        let count = try variable()
        guard count > 0 else { return (properties, subscriptions) }
        guard index + count <= bytes.count else { throw malformed("a field that is cut off") }
        let end = index + count
        var found: UInt64 = 0
        while index < end {
            let identifier = try byte()
            guard let property = PacketProperty(rawValue: identifier) else {
                throw malformed("an unknown property")
            }
            let bit: UInt64 = 1 << UInt64(identifier)
            // Only these may be there more than once: a message may match several subscriptions.
            guard found & bit == 0 || property == .userProperty || property == .subscriptionIdentifier else {
                throw malformed("two properties \(property)")
            }
            found |= bit
            switch property {
            case .messageExpiry:
                properties.messageExpirySeconds = UInt32(try number16()) << 16 | UInt32(try number16())
            case .contentType: properties.contentType = try text()
            case .responseTopic: properties.responseTopic = try text()
            case .correlationData: properties.correlationData = Array(try binary())
            case .userProperty:
                properties.userProperties.append(MQTTUserProperty(name: try text(), value: try text()))
            case .subscriptionIdentifier: subscriptions.append(UInt32(try variable()))
            default: try skip(property)
            }
        }
        return (properties, subscriptions)
    }

    private mutating func skip(_ property: PacketProperty) throws(MalformedPacket) {
        switch property.form {
        case .integer(let count): for _ in 0..<count { _ = try byte() }
        case .variable: _ = try variable()
        case .texts(let count): for _ in 0..<count { _ = try text() }
        }
    }

    private func malformed(_ what: String) -> MalformedPacket { MalformedPacket("\(kind) with \(what)") }
}
