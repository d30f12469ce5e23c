import Positioning

/// Builds pcap and pcapng captures.
struct CaptureFixture {
    var bytes: [UInt8] = []
    let isBig: Bool
    private let form: Form
    private var time: UInt64 = 1_700_000_000_000_000

    enum Form { case pcap, pcapNanoseconds, pcapng }

    init(_ form: Form, link: UInt32, isBig: Bool = false) {
        self.form = form
        self.isBig = isBig
        switch form {
        case .pcap: bytes = number(UInt32(0xA1B2_C3D4))
        case .pcapNanoseconds: bytes = number(UInt32(0xA1B2_3C4D))
        case .pcapng:
            block(0x0A0D_0D0A, number(UInt32(0x1A2B_3C4D)) + number(UInt32(1)) + number(UInt64.max))
            interface(link)
            return
        }
        bytes +=
            number(UInt16(2)) + number(UInt16(4)) + number(UInt64(0)) + number(UInt32(65535)) + number(link)
    }

    func number<Number: FixedWidthInteger & UnsignedInteger>(_ value: Number) -> [UInt8] {
        isBig ? value.bigEndianBytes : value.littleEndianBytes
    }

    mutating func block(_ type: UInt32, _ body: [UInt8]) {
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let length = number(UInt32(padded.count + 12))
        bytes += number(type) + length + padded + length
    }

    mutating func interface(_ link: UInt32, options: [UInt8] = []) {
        block(1, number(UInt16(link)) + number(UInt16(0)) + number(UInt32(0)) + options)
    }

    mutating func add(
        _ data: [UInt8],
        original: Int? = nil,
        interface: UInt32 = 0,
        after microseconds: Int64 = 100_000
    ) {
        time = UInt64(bitPattern: Int64(bitPattern: time) + microseconds)
        add(data, original: original, interface: interface, tick: time)
    }

    mutating func add(_ data: [UInt8], original: Int? = nil, interface: UInt32 = 0, tick: UInt64) {
        let lengths = number(UInt32(data.count)) + number(UInt32(original ?? data.count))
        if form == .pcapng {
            let ticks = number(UInt32(tick >> 32)) + number(UInt32(truncatingIfNeeded: tick))
            block(6, number(interface) + ticks + lengths + data)
        } else {
            let parts = UInt32(tick % 1_000_000) * (form == .pcap ? 1 : 1000)
            bytes += number(UInt32(tick / 1_000_000)) + number(parts) + lengths + data
        }
    }

    /// A link-layer packet with one iBeacon, from its access address on.
    static func air(minor: UInt16, kind: UInt8 = 2, isCoded: Bool = false) -> [UInt8] {
        let payload = BeaconFrame.iBeaconPayload(
            uuid: BeaconUUID(high: 1, low: 2),
            major: 1,
            minor: minor,
            powerAtOneMetre: -59
        )
        let sender: [UInt8] = [1, 2, 3, 4, 5, 0xC6]
        // An extended packet's header length and flags: sender, set, transmit power.
        let body = kind == 7 ? [10, 0x49] + sender + [0x34, 0x12, 4] + payload : sender + payload
        return [0xD6, 0xBE, 0x89, 0x8E] + (isCoded ? [0] : []) + [0x40 | kind, UInt8(body.count)] + body
            + [1, 2, 3]
    }

    /// The same after radio metadata (link type 256).
    static func radio(_ air: [UInt8], power: Int8 = -60, flags: UInt16 = 0x0C02) -> [UInt8] {
        [37, UInt8(bitPattern: power), 0, 0, 0xD6, 0xBE, 0x89, 0x8E] + flags.littleEndianBytes + air
    }

    /// The same from Nordic's sniffer (link type 272).
    static func nordic(_ air: [UInt8], version: UInt8 = 3, kind: UInt8 = 2, flags: UInt8 = 1) -> [UInt8] {
        let length = UInt8(truncatingIfNeeded: 10 + air.count)
        return [9] + (version == 1 ? [6, length] : [length, 0]) + [version, 7, 0, kind, 10, flags, 37, 60]
            + [0, 0, 1, 2, 3, 4] + air
    }
}
