/// Divides the stream into packets that are decoded here and those that are the library's.
///
/// The former are passed on completely, the latter as their bytes come.
package struct PacketSplitter {
    package enum Part {
        case own(UnsafeRawBufferPointer)
        case library(UnsafeRawBufferPointer)
    }

    /// The beginning of a packet that has not come completely.
    private var begun: [UInt8] = []
    /// Bytes of a packet of the library that are still to come.
    private var libraryRest = 0

    package init() {}

    /// - Parameter bytes: The next part of the stream, which ``PacketValidator`` has accepted.
    package mutating func split<Failure>(
        _ bytes: UnsafeRawBufferPointer,
        _ handle: (Part) -> Failure?
    ) -> Failure? {
        var rest = bytes[...]
        while !rest.isEmpty {
            if !begun.isEmpty {
                if let failure = complete(&rest, handle) { return failure }
                continue
            }
            let theirs = libraryBytes(rest)
            if theirs > 0 {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(theirs))
                rest = rest.dropFirst(theirs)
                if let failure = handle(.library(part)) { return failure }
                continue
            }
            guard let size = Self.size(rest), size <= rest.count else {
                begun = Array(UnsafeRawBufferPointer(rebasing: rest))
                return nil
            }
            let packet = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
            rest = rest.dropFirst(size)
            if let failure = handle(.own(packet)) { return failure }
        }
        return nil
    }

    /// Whether the next part of the stream has only complete packets that are decoded here.
    func hasOnlyOwn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard begun.isEmpty, libraryRest == 0 else { return false }
        var rest = bytes[...]
        while let head = rest.first {
            guard IncomingPacket.isOwn(head), let size = Self.size(rest), size <= rest.count else {
                return false
            }
            rest = rest.dropFirst(size)
        }
        return true
    }

    /// How many of the next bytes belong to packets of the library.
    private mutating func libraryBytes(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var count = 0
        while true {
            let part = min(libraryRest, bytes.count - count)
            count += part
            libraryRest -= part
            let next = bytes.dropFirst(count)
            guard let head = next.first, !IncomingPacket.isOwn(head), let size = Self.size(next) else {
                return count
            }
            libraryRest = size
        }
    }

    /// Adds bytes to a packet that has begun, and passes it on when its owner and its end are known.
    private mutating func complete<Failure>(
        _ rest: inout Slice<UnsafeRawBufferPointer>,
        _ handle: (Part) -> Failure?
    ) -> Failure? {
        let size = begun.withUnsafeBytes { Self.size($0[...]) }
        // Its length may be cut in two as well.
        let count = min(size.map { $0 - begun.count } ?? 1, rest.count)
        begun.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
        rest = rest.dropFirst(count)
        guard let size = size ?? begun.withUnsafeBytes({ Self.size($0[...]) }) else { return nil }
        let isOwn = IncomingPacket.isOwn(begun[0])
        guard !isOwn || begun.count == size else { return nil }
        libraryRest = size - begun.count
        let packet = begun
        begun = []
        return packet.withUnsafeBytes { handle(isOwn ? .own($0) : .library($0)) }
    }

    /// The size of the packet that begins here; `nil` if its length has not come completely.
    /// - Source: MQTT 5.0, 2.1.4.
    private static func size(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        var (length, shift) = (0, 0)
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { return 2 + index + length }
        }
        return nil
    }
}
