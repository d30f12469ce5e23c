import Positioning

/// Reads a pcapng capture (Wireshark), block by block.
///
/// Packets of interfaces with an unsupported link type, and blocks without a packet, are skipped. An
/// incomplete last block ends the capture and is reported in ``truncation``.
/// - Source: the Internet draft draft-ietf-opsawg-pcapng.
struct PcapngReader: CaptureReader {
    /// The type of the first block, the same in either byte order.
    static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    private(set) var cutRecords = 0
    private(set) var truncation: SensorError?

    private var bytes: RecordedBytes
    private var order = ByteOrder.little
    private var interfaces: [Interface] = []
    private var number = 0

    private struct Interface {
        let link: CaptureLink?
        var clock = CaptureTick()
    }

    private enum Block {
        static let section: UInt32 = 0x0A0D_0D0A
        static let interface: UInt32 = 1
        static let oldPacket: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let packet: UInt32 = 6
    }

    private static let largestBlock = 16 << 20
    private static let mostInterfaces = 256
    /// Bytes of type and length before, and of the length again after the content.
    private static let frame = 12

    init(_ recorded: RecordedBytes) throws(SensorError) {
        bytes = recorded
        guard try Array(bytes.peek(Self.frame)).count == Self.frame else {
            throw bytes.unsupported("ends within the pcapng header")
        }
    }

    mutating func next() throws(SensorError) -> CaptureRecord? {
        while let (type, body, start) = try block() {
            var cursor = OrderedCursor(body, order)
            switch type {
            case Block.section: interfaces = []
            case Block.interface:
                guard interfaces.count < Self.mostInterfaces else {
                    throw damage(at: start, "more than \(Self.mostInterfaces) interfaces")
                }
                interfaces.append(try interface(&cursor, at: start))
            case Block.packet, Block.oldPacket:
                guard let (interface, time) = packetHeader(&cursor, isOld: type == Block.oldPacket),
                    let included = cursor.number32(), let original = cursor.number32(),
                    let data = cursor.read(Int(included))
                else { throw damage(at: start, "its packet is longer than the block") }
                guard interfaces.indices.contains(interface) else {
                    throw damage(at: start, "a packet of the undeclared interface \(interface)")
                }
                guard included >= original else {
                    cutRecords += 1
                    continue
                }
                guard let link = interfaces[interface].link else { continue }
                return CaptureRecord(
                    number: number,
                    microseconds: interfaces[interface].clock.microseconds(time),
                    content: link.content(of: data)
                )
            case Block.simplePacket:
                // Cannot be replayed without a time.
                cutRecords += 1
            default: break
            }
        }
        return nil
    }

    /// The type, content and offset of the next block; `nil` at the end.
    private mutating func block() throws(SensorError) -> (UInt32, ArraySlice<UInt8>, Int)? {
        guard truncation == nil else { return nil }
        let start = bytes.offset
        let peeked = try bytes.peek(Self.frame)
        if peeked.isEmpty { return nil }
        number += 1
        guard peeked.count == Self.frame else { return truncate(at: start) }
        if peeked.starts(with: Self.magic) { try readOrder(peeked.suffix(4), at: start) }
        var cursor = OrderedCursor(peeked, order)
        let (type, length) = (cursor.number32() ?? 0, Int(cursor.number32() ?? 0))
        guard length >= Self.frame, length % 4 == 0, length <= Self.largestBlock else {
            throw damage(at: start, "invalid block length of \(length) bytes")
        }
        let whole = try bytes.read(length)
        guard whole.count == length else { return truncate(at: start) }
        var end = OrderedCursor(whole.suffix(4), order)
        guard end.number32() == UInt32(length) else {
            throw damage(at: start, "its two lengths differ")
        }
        return (type, whole.dropFirst(8).dropLast(4), start)
    }

    /// Reads the byte-order magic of a section.
    private mutating func readOrder(_ magic: ArraySlice<UInt8>, at start: Int) throws(SensorError) {
        switch Array(magic) {
        case [0x1A, 0x2B, 0x3C, 0x4D]: order = .big
        case [0x4D, 0x3C, 0x2B, 0x1A]: order = .little
        default: throw damage(at: start, "invalid byte-order magic")
        }
    }

    private func interface(_ cursor: inout OrderedCursor, at start: Int) throws(SensorError) -> Interface {
        guard let type = cursor.number16(), cursor.read(6) != nil else {
            throw damage(at: start, "the interface description is incomplete")
        }
        var interface = Interface(link: CaptureLink(rawValue: UInt32(type)))
        while let option = cursor.number16(), let length = cursor.number16(), option != 0,
            let value = cursor.read(Int(length))
        {
            _ = cursor.read((4 - Int(length) % 4) % 4)
            interface.clock.read(option: option, value, order)
        }
        return interface
    }

    private func packetHeader(_ cursor: inout OrderedCursor, isOld: Bool) -> (interface: Int, time: UInt64)? {
        var interface: Int?
        if isOld {
            interface = cursor.number16().map { Int($0) }
            // The number of dropped packets.
            _ = cursor.number16()
        } else {
            interface = cursor.number32().map { Int($0) }
        }
        guard let interface, let high = cursor.number32(), let low = cursor.number32() else { return nil }
        return (interface, UInt64(high) << 32 | UInt64(low))
    }

    private mutating func truncate(at start: Int) -> (UInt32, ArraySlice<UInt8>, Int)? {
        truncation = damage(at: start, "the capture ends within the block")
        return nil
    }

    private func damage(at offset: Int, _ problem: String) -> SensorError {
        .damaged(file: bytes.name, unit: "block", number: number, offset: offset, problem: problem)
    }
}

/// The time unit of an interface.
private struct CaptureTick {
    private var perSecond: UInt64 = 1_000_000
    private var offset: Int64 = 0

    private enum Option {
        static let resolution: UInt16 = 9
        static let offset: UInt16 = 14
    }

    mutating func read(option: UInt16, _ value: ArraySlice<UInt8>, _ order: ByteOrder) {
        switch (option, value.count) {
        case (Option.resolution, 1):
            guard let code = value.first else { return }
            let power = Int(code & 0x7F)
            if code & 0x80 != 0, power < 63 { perSecond = 1 << UInt64(power) }
            if code & 0x80 == 0, power < 19 { perSecond = (0..<power).reduce(1) { number, _ in number * 10 } }
        case (Option.offset, 8):
            var cursor = ByteCursor(value)
            let number = order == .big ? cursor.bigEndian(UInt64.self) : cursor.littleEndian(UInt64.self)
            offset = Int64(bitPattern: number ?? 0)
        default: break
        }
    }

    /// Microseconds since 1970; an arbitrary number for invalid times.
    func microseconds(_ time: UInt64) -> Int64 {
        let (seconds, parts) = time.quotientAndRemainder(dividingBy: perSecond)
        let micro = perSecond.dividingFullWidth(parts.multipliedFullWidth(by: 1_000_000)).quotient
        return (Int64(truncatingIfNeeded: seconds) &+ offset) &* 1_000_000 &+ Int64(truncatingIfNeeded: micro)
    }
}
