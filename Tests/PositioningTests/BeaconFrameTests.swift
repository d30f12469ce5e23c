import Positioning
import Testing

@Suite struct BeaconFrameTests {
    private static let uuid: [UInt8] = [
        0xFD, 0xA5, 0x06, 0x93, 0xA4, 0xE2, 0x4F, 0xB1, 0xAF, 0xCF, 0xC6, 0xEB, 0x07, 0x64, 0x78, 0x25,
    ]
    private static let identifier = BeaconUUID(high: 0xFDA5_0693_A4E2_4FB1, low: 0xAFCF_C6EB_0764_7825)
    private static let flags: [UInt8] = [0x02, 0x01, 0x06]

    private static func iBeacon(power: UInt8, extra: [UInt8] = []) -> [UInt8] {
        [0x1A + UInt8(extra.count), 0xFF, 0x4C, 0x00, 0x02, 0x15] + uuid + [0x00, 0x05, 0x00, 0x06, power]
            + extra
    }

    private static func altBeacon(company: [UInt8]) -> [UInt8] {
        [0x1B, 0xFF] + company + [0xBE, 0xAC] + uuid + [0x00, 0x05, 0x00, 0x06, 0xC5, 0x00]
    }

    private static func eddystone(instance: [UInt8], level: UInt8 = 0xEE, reserved: Bool) -> [UInt8] {
        [reserved ? 0x17 : 0x15, 0x16, 0xAA, 0xFE, 0x00, level] + uuid.prefix(5) + uuid.suffix(5) + instance
            + (reserved ? [0, 0] : [])
    }

    private static let fiveSix = BeaconIdentity(uuid: identifier, major: 5, minor: 6)

    @Test(arguments: [flags, [], [0x02, 0x0A, 0xF4], [0x03, 0xFF, 0x4C, 0x00]])
    func `an iBeacon is found behind any other structures`(_ front: [UInt8]) {
        let frames = BeaconFrame.frames(in: front + Self.iBeacon(power: 0xB0))
        #expect(frames == [.beacon(Self.fiveSix, powerAtOneMetre: -80)])
    }

    @Test func `an iBeacon may have extra bytes`() {
        let frames = BeaconFrame.frames(in: Self.flags + Self.iBeacon(power: 0xC5, extra: [0x64]))
        #expect(frames == [.beacon(Self.fiveSix, powerAtOneMetre: -59)])
    }

    @Test(arguments: [UInt8(0), 1, 0x7F])
    func `a power of zero and above is unknown`(_ power: UInt8) {
        #expect(BeaconFrame.frames(in: Self.iBeacon(power: power)).map(\.powerAtOneMetre) == [nil])
    }

    @Test(arguments: [[UInt8(0x18), 0x01], [0x4C, 0x00], [0xFF, 0xFF]])
    func `an AltBeacon is recognised by its marker, whatever its company`(_ company: [UInt8]) {
        let frames = BeaconFrame.frames(in: Self.flags + Self.altBeacon(company: company))
        #expect(frames == [.beacon(Self.fiveSix, powerAtOneMetre: -59)])
    }

    @Test(arguments: [true, false])
    func `an Eddystone UID of either length holds major and minor in its last eight digits`(
        _ reserved: Bool
    ) throws {
        let payload = Self.eddystone(instance: [0, 0, 0x12, 0x34, 0x00, 0x56], reserved: reserved)
        let frame = try #require(BeaconFrame.frames(in: Self.flags + [3, 3, 0xAA, 0xFE] + payload).first)
        #expect(frame.powerAtOneMetre == -18 - 41)
        let identity = try #require(frame.identity)
        #expect(identity.major == 1234 && identity.minor == 56)
        #expect(identity.belongs(to: Self.identifier))
    }

    @Test func `the Eddystone power at one metre is 41 dB below that at zero metres`() {
        let strong = Self.eddystone(instance: [0, 0, 0, 1, 0, 2], level: 0x12, reserved: true)
        #expect(BeaconFrame.frames(in: strong).map(\.powerAtOneMetre) == [-23])
        let absurd = Self.eddystone(instance: [0, 0, 0, 1, 0, 2], level: 0x7F, reserved: true)
        #expect(BeaconFrame.frames(in: absurd).map(\.powerAtOneMetre) == [nil])
    }

    @Test func `an Eddystone instance with other digits is a frame without an identity`() {
        let frames = BeaconFrame.frames(in: Self.eddystone(instance: [0, 0, 0, 0x0A, 0, 1], reserved: true))
        #expect(frames.count == 1)
        #expect(frames.first?.identity == nil)
    }

    @Test(
        arguments: [
            [0x07, 0xFF, 0x4C, 0x00, 0x10, 0x02, 0x0B, 0x00],  // Apple, nearby
            [0x06, 0x16, 0xAA, 0xFE, 0x40, 0xEE, 0x00],  // Eddystone, an unknown type
            [0x03, 0x16, 0xAA, 0xFE],
            [0x05, 0x16, 0x0F, 0x18, 0x00, 0x64],  // battery service
            [0x03, 0xFF, 0x99, 0x04],
        ] as [[UInt8]]
    )
    func `other frames are skipped`(_ payload: [UInt8]) {
        #expect(BeaconFrame.frames(in: payload).isEmpty)
    }

    @Test(arguments: 1...26) func `a truncated frame is ignored`(_ missing: Int) {
        var cut = Array(Self.iBeacon(power: 0xC5).dropLast(missing))
        #expect(BeaconFrame.frames(in: cut).isEmpty)
        // The same with a matching length.
        if !cut.isEmpty { cut[0] = UInt8(cut.count - 1) }
        #expect(BeaconFrame.frames(in: cut).isEmpty)
    }

    @Test func `an encoded iBeacon payload decodes to the same frame`() {
        let made = BeaconFrame.iBeaconPayload(uuid: Self.identifier, major: 5, minor: 6, powerAtOneMetre: -80)
        #expect(made == Self.flags + Self.iBeacon(power: 0xB0))
        #expect(made.count <= 31)
    }

    @Test func `a received power that no receiver measures is not usable`() {
        let usable = [127, 42, 0, -111, -128, -1, -60, -110].map { BeaconSighting.isUsable(rssi: $0) }
        #expect(usable == [false, false, false, false, false, true, true, true])
    }

    @Test func `random and mutated payloads never trap`() {
        var generator = SeededGenerator(seed: 1)
        let good = [
            Self.flags + Self.iBeacon(power: 0xC5), Self.altBeacon(company: [1, 2]),
            Self.eddystone(instance: [0, 0, 0, 1, 0, 2], reserved: true),
        ]
        var identified = 0
        for turn in 0..<30_000 {
            var payload = good[turn % 3]
            for _ in 0..<Int(generator.next() % 4) {
                payload[Int(generator.next() % UInt64(payload.count))] = UInt8(
                    truncatingIfNeeded: generator.next()
                )
            }
            payload.removeLast(Int(generator.next() % 3) * Int(generator.next() % 9))
            if turn % 5 == 0 { payload = payload.map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
            for frame in BeaconFrame.frames(in: payload) where frame.identity != nil {
                identified += 1
                #expect((frame.powerAtOneMetre ?? -1) < 0)
            }
        }
        #expect(identified > 1000)
    }
}

extension BeaconFrame {
    /// All frames of a payload, in order.
    static func frames(in payload: [UInt8]) -> [BeaconFrame] {
        var frames: [BeaconFrame] = []
        forEachFrame(in: payload.span) { frames.append($0) }
        return frames
    }
}
