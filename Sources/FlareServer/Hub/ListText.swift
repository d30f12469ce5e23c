import Flare
import NIOCore

/// A list of objects as REST shows it, and the tag by which a client knows it again.
struct ListText: Sendable {
    let bytes: ByteBuffer
    let tag: String

    /// Joins objects that are written already.
    init(_ texts: [[UInt8]]) {
        var bytes = ByteBufferAllocator().buffer(capacity: texts.reduce(2) { $0 + $1.count + 1 })
        bytes.writeInteger(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.writeInteger(UInt8(ascii: ",")) }
            bytes.writeBytes(text)
        }
        bytes.writeInteger(UInt8(ascii: "]"))
        self.bytes = bytes
        tag = Self.tag(of: bytes)
    }

    /// A weak tag of length and content.
    static func tag(of body: ByteBuffer) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        body.withUnsafeReadableBytes { raw in
            let words = raw.count / 8
            for index in 0..<words {
                hash ^= raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
                hash = (hash &* 0x9e37_79b9_7f4a_7c15) ^ (hash >> 29)
            }
            for byte in raw[(words * 8)...] { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        }
        hash = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
        return "W/\"\(String(body.readableBytes, radix: 16))-\(String(hash, radix: 16))\""
    }
}

/// Lists that were asked for, each kept until something in it changes.
struct ListCache: Sendable {
    struct Key: Sendable, Hashable {
        let kind: FlareClass
        let environment: FlareID?
        let zone: FlareID?
    }

    /// Of all lists together, bytes; when there are more, all are forgotten.
    private static let maximumBytes = 4_000_000

    private var lists: [Key: ListText] = [:]
    private var bytes = 0

    subscript(key: Key) -> ListText? { lists[key] }

    mutating func keep(_ list: ListText, for key: Key) {
        if bytes + list.bytes.readableBytes > Self.maximumBytes { self = ListCache() }
        guard list.bytes.readableBytes <= Self.maximumBytes else { return }
        bytes += list.bytes.readableBytes - (lists.updateValue(list, forKey: key)?.bytes.readableBytes ?? 0)
    }

    /// Forgets the lists in which an object is, or would be.
    mutating func forget(listsWith record: FlareRecord) {
        guard !lists.isEmpty else { return }
        for environment in [nil, record.home] {
            for zone in [nil, record.zone] {
                let key = Key(kind: record.kind, environment: environment, zone: zone)
                bytes -= lists.removeValue(forKey: key)?.bytes.readableBytes ?? 0
            }
        }
    }
}
