/// The topics and identifiers of the publications of QoS 1 in a stream of short packets.
struct PublishedTopics {
    private var bytes: [UInt8] = []
    /// PINGREQ between them.
    private(set) var pings = 0

    /// - Returns: False at the end of the stream.
    mutating func append(_ more: [UInt8]) -> Bool {
        bytes += more
        return !more.isEmpty
    }

    mutating func next() -> (topic: String, id: [UInt8])? {
        while bytes.count > 1, bytes.count >= 2 + Int(bytes[1]) {
            let packet = Array(bytes.prefix(2 + Int(bytes[1])))
            bytes.removeFirst(packet.count)
            if packet[0] == 0xC0 { pings += 1 }
            guard packet[0] & 0xF0 == 0x30, packet.count > 4 else { continue }
            let end = 4 + Int(packet[3])
            guard packet.count >= end + 2 else { continue }
            return (String(decoding: packet[4..<end], as: UTF8.self), Array(packet[end..<end + 2]))
        }
        return nil
    }
}
