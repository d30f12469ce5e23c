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
    private var order = ByteCursor.Order.little
    private var interfaces: [Interface] = []

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
        while let (type, body) = try block() {
            var cursor = ByteCursor(body, order)
            switch type {
            case Block.section: interfaces = []
            case Block.interface:
                guard interfaces.count < Self.mostInterfaces else {
                    throw bytes.damage("more than \(Self.mostInterfaces) interfaces")
                }
                interfaces.append(try interface(&cursor))
            case Block.packet, Block.oldPacket:
                guard let (interface, time) = packetHeader(&cursor, isOld: type == Block.oldPacket),
                    let included = cursor.number(UInt32.self), let original = cursor.number(UInt32.self),
                    let data = cursor.read(Int(included))
                else { throw bytes.damage("its packet is longer than the block") }
                guard interfaces.indices.contains(interface) else {
                    throw bytes.damage("a packet of the undeclared interface \(interface)")
                }
                guard included >= original else {
                    cutRecords += 1
                    continue
                }
                guard let link = interfaces[interface].link else { continue }
                return CaptureRecord(
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

    /// The type and content of the next block; `nil` at the end.
    private mutating func block() throws(SensorError) -> (UInt32, ArraySlice<UInt8>)? {
        guard truncation == nil else { return nil }
        bytes.begin("block")
        let peeked = try bytes.peek(Self.frame)
        if peeked.isEmpty { return nil }
        guard peeked.count == Self.frame else { return truncate() }
        if peeked.starts(with: Self.magic) { try readOrder(peeked.suffix(4)) }
        var cursor = ByteCursor(peeked, order)
        let (type, length) = (cursor.number(UInt32.self) ?? 0, Int(cursor.number(UInt32.self) ?? 0))
        guard length >= Self.frame, length % 4 == 0, length <= Self.largestBlock else {
            throw bytes.damage("invalid block length of \(length) bytes")
        }
        let whole = try bytes.read(length)
        guard whole.count == length else { return truncate() }
        var end = ByteCursor(whole.suffix(4), order)
        guard end.number(UInt32.self) == UInt32(length) else {
            throw bytes.damage("its two lengths differ")
        }
        return (type, whole.dropFirst(8).dropLast(4))
    }

    /// Reads the byte-order magic of a section.
    private mutating func readOrder(_ magic: ArraySlice<UInt8>) throws(SensorError) {
        switch Array(magic) {
        case [0x1A, 0x2B, 0x3C, 0x4D]: order = .big
        case [0x4D, 0x3C, 0x2B, 0x1A]: order = .little
        default: throw bytes.damage("invalid byte-order magic")
        }
    }

    private func interface(_ cursor: inout ByteCursor) throws(SensorError) -> Interface {
        guard let type = cursor.number(UInt16.self), cursor.read(6) != nil else {
            throw bytes.damage("the interface description is incomplete")
        }
        var interface = Interface(link: CaptureLink(rawValue: UInt32(type)))
        while let option = cursor.number(UInt16.self), let length = cursor.number(UInt16.self), option != 0,
            let value = cursor.read(Int(length))
        {
            _ = cursor.read((4 - Int(length) % 4) % 4)
            interface.clock.read(option: option, value, order)
        }
        return interface
    }

    private func packetHeader(_ cursor: inout ByteCursor, isOld: Bool) -> (interface: Int, time: UInt64)? {
        var interface: Int?
        if isOld {
            interface = cursor.number(UInt16.self).map { Int($0) }
            // The number of dropped packets.
            _ = cursor.number(UInt16.self)
        } else {
            interface = cursor.number(UInt32.self).map { Int($0) }
        }
        guard let interface, let high = cursor.number(UInt32.self), let low = cursor.number(UInt32.self)
        else { return nil }
        return (interface, UInt64(high) << 32 | UInt64(low))
    }

    private mutating func truncate() -> (UInt32, ArraySlice<UInt8>)? {
        truncation = bytes.damage("the capture ends within the block")
        return nil
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

    mutating func read(option: UInt16, _ value: ArraySlice<UInt8>, _ order: ByteCursor.Order) {
        switch (option, value.count) {
        case (Option.resolution, 1):
            guard let code = value.first else { return }
            let power = Int(code & 0x7F)
            if code & 0x80 != 0, power < 63 { perSecond = 1 << UInt64(power) }
            if code & 0x80 == 0, power < 19 { perSecond = (0..<power).reduce(1) { number, _ in number * 10 } }
        case (Option.offset, 8):
            var cursor = ByteCursor(value, order)
            offset = Int64(bitPattern: cursor.number() ?? 0)
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
