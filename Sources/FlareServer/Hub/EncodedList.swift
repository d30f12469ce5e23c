import Flare
import NIOCore

/// A JSON list of objects, and its entity tag.
struct EncodedList: Sendable {
    let bytes: ByteBuffer
    let tag: String

    /// Joins encoded objects.
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

    /// A weak entity tag from length and content.
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

/// Encoded lists, each cached until one of its objects changes.
struct ListCache: Sendable {
    struct Key: Sendable, Hashable {
        let kind: FlareClass
        let environment: FlareID?
        let zone: FlareID?
    }

    /// The size limit of the cache, bytes; beyond it, all lists are removed.
    private static let maximumBytes = 4_000_000

    private var lists: [Key: EncodedList] = [:]
    private var bytes = 0

    subscript(key: Key) -> EncodedList? { lists[key] }

    mutating func insert(_ list: EncodedList, for key: Key) {
        if bytes + list.bytes.readableBytes > Self.maximumBytes { self = ListCache() }
        guard list.bytes.readableBytes <= Self.maximumBytes else { return }
        bytes += list.bytes.readableBytes - (lists.updateValue(list, forKey: key)?.bytes.readableBytes ?? 0)
    }

    /// Removes the lists that contain an object, or would.
    mutating func invalidate(listsContaining record: FlareRecord) {
        guard !lists.isEmpty else { return }
        for environment in [nil, record.home] {
            for zone in [nil, record.zone] {
                let key = Key(kind: record.kind, environment: environment, zone: zone)
                bytes -= lists.removeValue(forKey: key)?.bytes.readableBytes ?? 0
            }
        }
    }
}
