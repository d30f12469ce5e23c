/// Encoded packets that wait to be written: publications of QoS 0 and 1, acknowledgements, and pings.
package struct PacketBuffer {
    private var bytes: [UInt8] = []
    private var sent = 0
    /// Where the publications of QoS 0 end; the first of them that were written.
    private var ends: [Int] = []
    private var passedEnds = 0
    /// Acknowledgements that were added since nothing was left to write.
    private(set) var acknowledgements = 0

    /// Capacity kept while there is nothing to write.
    private static let retainedCapacity = 1 << 14

    package var isEmpty: Bool { bytes.isEmpty }

    package init() {}

    // MARK: Encoding

    /// - Parameters:
    ///   - packet: Made of the message.
    ///   - id: The packet identifier; not sent with QoS 0.
    /// - Source: MQTT 5.0, 3.3.
    package mutating func append(publish message: MQTTMessage, as packet: PublishPacket, id: UInt16) {
        bytes.reserveCapacity(grown(by: packet.size))
        bytes.append(0x30 | packet.qos.rawValue << 1 | (packet.isRetained ? 1 : 0))
        append(variable: packet.bodySize)
        append(text: message.topic)
        if packet.qos != .atMostOnce { append(id) }
        if let size = packet.propertiesSize {
            append(variable: size)
            if size > 0 { append(message.properties) }
        }
        bytes.append(contentsOf: message.payload)
        if packet.qos == .atMostOnce { ends.append(bytes.count) }
    }

    /// Acknowledges a publication of QoS 1.
    /// - Source: MQTT 5.0, 3.4: the reason code may be omitted when it is 0.
    package mutating func append(acknowledgementOf id: UInt16) {
        acknowledgements += 1
        bytes.append(0x40)
        bytes.append(2)
        append(id)
    }

    /// - Source: MQTT 5.0, 3.12.
    mutating func appendPing() { bytes.append(contentsOf: [0xC0, 0]) }

    /// - Source: MQTT 5.0, 3.3.2.3.
    private mutating func append(_ properties: MQTTProperties) {
        if let seconds = properties.messageExpirySeconds {
            begin(.messageExpiry)
            append(UInt16(truncatingIfNeeded: seconds >> 16))
            append(UInt16(truncatingIfNeeded: seconds))
        }
        if let type = properties.contentType {
            begin(.contentType)
            append(text: type)
        }
        if let topic = properties.responseTopic {
            begin(.responseTopic)
            append(text: topic)
        }
        if let data = properties.correlationData {
            begin(.correlationData)
            append(UInt16(truncatingIfNeeded: data.count))
            bytes.append(contentsOf: data)
        }
        for pair in properties.userProperties {
            begin(.userProperty)
            append(text: pair.name)
            append(text: pair.value)
        }
    }

    private mutating func begin(_ property: PacketProperty) { bytes.append(property.rawValue) }

    private mutating func append(_ number: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number))
    }

    private mutating func append(text: String) {
        append(UInt16(truncatingIfNeeded: text.utf8.count))
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func append(variable number: Int) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The capacity to reserve for further bytes, at least twice the present one: exact room would copy at each packet.
    private func grown(by count: Int) -> Int {
        bytes.count + count <= bytes.capacity ? 0 : max(bytes.count + count, bytes.capacity * 2)
    }

    // MARK: Writing

    /// Passes the bytes that are still to be written to a body that returns how many of them it has written.
    ///
    /// - Returns: What the body returned, and the publications of QoS 0 that are written completely.
    package mutating func write(_ body: (UnsafeRawBufferPointer) -> Int) -> (bytes: Int, publications: Int) {
        let count = bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
        guard count > 0 else { return (count, 0) }
        sent += count
        let before = passedEnds
        while passedEnds < ends.count, ends[passedEnds] <= sent { passedEnds += 1 }
        defer { if sent == bytes.count { removeAll() } }
        return (count, passedEnds - before)
    }

    /// Gives its memory back if there is nothing to write.
    mutating func release() {
        if isEmpty { self = PacketBuffer() }
    }

    private mutating func removeAll() {
        if bytes.capacity > Self.retainedCapacity {
            self = PacketBuffer()
        } else {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            (sent, passedEnds, acknowledgements) = (0, 0, 0)
        }
    }
}

/// How a message is sent as a PUBLISH over one link.
package struct PublishPacket {
    let qos: MQTTQoS
    let isRetained: Bool
    /// Bytes of the properties without their length; `nil` on a 3.1.1 link.
    let propertiesSize: Int?
    /// Bytes after the fixed header.
    let bodySize: Int

    /// The largest value of the length in the fixed header.
    /// - Source: MQTT 5.0, 2.1.4.
    static let maximumBodySize = 268_435_455

    package init(_ message: MQTTMessage, over link: MQTTLimits) {
        qos = min(message.qos, link.maximumQoS)
        isRetained = message.isRetained && link.hasRetained
        propertiesSize = link.isV5 ? Self.size(message.properties) : nil
        bodySize =
            2 + message.topic.utf8.count + (qos == .atMostOnce ? 0 : 2)
            + (propertiesSize.map { $0 + Self.size(variable: $0) } ?? 0) + message.payload.count
    }

    /// Bytes of the whole packet, which the broker's Maximum Packet Size limits.
    /// - Source: MQTT 5.0, 3.2.2.3.6.
    package var size: Int { 1 + Self.size(variable: bodySize) + bodySize }

    private static func size(variable number: Int) -> Int {
        number < 1 << 7 ? 1 : number < 1 << 14 ? 2 : number < 1 << 21 ? 3 : 4
    }

    private static func size(_ properties: MQTTProperties) -> Int {
        if properties.isEmpty { return 0 }
        let pairs = properties.userProperties.map { 5 + $0.name.utf8.count + $0.value.utf8.count }
        return (properties.messageExpirySeconds == nil ? 0 : 5)
            + (properties.contentType.map { 3 + $0.utf8.count } ?? 0)
            + (properties.responseTopic.map { 3 + $0.utf8.count } ?? 0)
            + (properties.correlationData.map { 3 + $0.count } ?? 0)
            + pairs.reduce(0, +)
    }
}

/// What a broker accepts on a link.
package struct MQTTLimits: Sendable, Equatable {
    package var isV5 = true
    /// The highest QoS; higher ones are reduced to it.
    package var maximumQoS = MQTTQoS.atLeastOnce
    /// Whether it keeps retained messages; otherwise the flag is not sent.
    package var hasRetained = true
    /// Most publications of QoS 1 that may be unacknowledged.
    package var receiveMaximum = 65_535
    /// Most bytes of a packet.
    package var maximumPacketSize = Int.max

    package init() {}

    func accepts(_ packet: PublishPacket) -> Bool {
        packet.bodySize <= PublishPacket.maximumBodySize && packet.size <= maximumPacketSize
    }
}
