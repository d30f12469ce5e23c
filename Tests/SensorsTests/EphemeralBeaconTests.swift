import Positioning
import Sensors
import Testing

/// Expected bytes were computed with another library (PyCryptodome).
@Suite struct EphemeralBeaconTests {
    private static let key = CipherBlock(UInt8(0)...15)
    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
    /// When the beacon's clock was 0.
    private static let start = 1_700_000_000.0

    private func beacon(exponent: Int = 10) -> EphemeralBeacon {
        EphemeralBeacon(
            identity: Self.identity,
            key: Self.key,
            exponent: exponent,
            clockStart: Self.start
        )
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test func `a block is encrypted as in FIPS 197`() throws {
        let key = try #require(CipherBlock(hexadecimal: "000102030405060708090a0b0c0d0e0f"))
        let plain = try #require(CipherBlock(hexadecimal: "00112233445566778899aabbccddeeff"))
        #expect(
            AESBlock.cipher(key, plain) == CipherBlock(hexadecimal: "69c4e0d86a7b0430d8cdb78070b4c55a")
        )
        #expect(CipherBlock(hexadecimal: "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6") == nil)
    }

    @Test(arguments: [
        (0, UInt32(0), UInt64(0x2BA6_A87A_CF88_D21C)), (10, 123_456_789, 0x95FC_4343_38D2_D9B6),
        (15, .max, 0x2B0A_5389_EFAD_8131), (10, 123_457_813, 0xC6D5_0F03_E258_3D9C),
    ])
    func `an identifier follows from key, exponent and clock`(_ exponent: Int, _ clock: UInt32, _ id: UInt64)
    {
        #expect(beacon(exponent: exponent).id(at: clock, cipher: AESBlock.cipher) == id)
    }

    @Test func `an identifier stays the same for its period`() {
        let beacon = beacon(exponent: 4)
        let ids = (0..<64).map { beacon.id(at: 1600 + UInt32($0), cipher: AESBlock.cipher) }
        #expect(Set(ids).count == 4)
        #expect(Set(ids.prefix(16)).count == 1)
    }

    /// The start of the resolved period, for a beacon whose clock is ahead by some seconds.
    private func resolve(_ heard: (ahead: Double, at: Double)...) -> [UInt32?] {
        var beacons = EphemeralBeacons([beacon()], cipher: AESBlock.cipher)
        return heard.map { ahead, clock in
            let id = beacon().id(at: UInt32(clock + ahead), cipher: AESBlock.cipher)
            return beacons.resolve(id, at: Self.start + clock)?.clock
        }
    }

    @Test func `identifiers of the current and adjacent periods are resolved`() {
        let clock = 10.5 * 1024
        #expect(resolve((0, clock), (1024, clock)) == [10240, 11264])
        #expect(resolve((-1024, clock), (5 * 1024, clock)) == [9216, nil])
        var beacons = EphemeralBeacons([beacon()], cipher: AESBlock.cipher)
        #expect(beacons.resolve(0, at: Self.start + clock) == nil)
        #expect(beacons.resolve(0, at: .nan) == nil)
    }

    @Test func `the search widens for a silent beacon and its clock is corrected`() {
        let year = 31_536_000.0
        // In a year 150 ppm amount to more than an hour.
        #expect(resolve((4000, year)).first != .some(nil))
        // After that the clock's offset is known, and an hour off is too much.
        let later = resolve(
            (4000, year),
            (4000 + 3 * 1024, year + 3600),
            (4000, year + 3600),
            (0, year + 3600)
        )
        #expect(later.map { $0 != nil } == [true, false, true, false])
    }

    @Test func `a time outside a beacon's clock range resolves nothing and does not trap`() {
        var beacons = EphemeralBeacons([beacon(exponent: 0)], cipher: AESBlock.cipher)
        for time in [0, Self.start - 1e6, 1e11, -1e11, 1e300, .infinity] {
            #expect(beacons.resolve(1, at: time) == nil)
        }
    }

    @Test func `several beacons are distinguished also when the clock is set`() throws {
        let all = (0..<40).map { number in
            EphemeralBeacon(
                identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: UInt16(number)),
                key: CipherBlock(repeating: UInt8(number)),
                exponent: number % 16,
                clockStart: Self.start + Double(number)
            )
        }
        var beacons = EphemeralBeacons(all, cipher: AESBlock.cipher)
        for time in [Self.start + 100_000, Self.start + 100_001.5, Self.start + 200, Self.start + 500_000] {
            for beacon in all {
                let clock = UInt32(time - beacon.clockStart)
                let id = beacon.id(at: clock, cipher: AESBlock.cipher)
                #expect(beacons.resolve(id, at: time)?.beacon == beacon)
            }
        }
    }

    @Test func `telemetry is decrypted with the key and refused when a bit is wrong`() throws {
        let frame = EncryptedTelemetry(cipher: bytes("058aaaae33d6215287b35aad"), salt: 0x1234, check: 0xD246)
        let beacon = beacon()
        let open = { (frame: EncryptedTelemetry, clock: UInt32) in
            beacon.decrypt(frame, at: clock, cipher: AESBlock.cipher)
        }
        let telemetry = try #require(open(frame, 123_456_789))
        #expect(telemetry.batteryVolts == 3 && telemetry.celsius == 21.5)
        #expect(telemetry.packets == 1000 && telemetry.uptimeSeconds == 10)
        #expect(open(frame, 123_456_789 - 1024) == nil)
        for bit in 0..<16 {
            let check = EncryptedTelemetry(cipher: frame.cipher, salt: 0x1234, check: 0xD246 ^ 1 << bit)
            let salt = EncryptedTelemetry(cipher: frame.cipher, salt: 0x1234 ^ 1 << bit, check: 0xD246)
            #expect(open(check, 123_456_789) == nil)
            #expect(open(salt, 123_456_789) == nil)
        }
        var changed = frame.cipher
        changed[11] ^= 1
        #expect(open(EncryptedTelemetry(cipher: changed, salt: 0x1234, check: 0xD246), 123_456_789) == nil)
    }

    @Test func `telemetry of a period that has just begun is decrypted`() throws {
        let frame = EncryptedTelemetry(cipher: bytes("058aaaae33d6215287b35aad"), salt: 0x1234, check: 0xD246)
        var beacons = EphemeralBeacons([beacon()], cipher: AESBlock.cipher)
        let before = 123_456_789 - 1024.0
        let id = beacon().id(at: UInt32(before), cipher: AESBlock.cipher)
        let found = beacons.resolve(id, at: Self.start + before)
        let match = try #require(found)
        #expect(beacons.decrypt(frame, from: match)?.batteryVolts == 3)
    }

    @Test(arguments: [
        (0, "", "ea68a6953dd0009d8ba31a5b93c722ce"), (1, "2d", "050ee2bd774b9c0f62b50d39087f881b"),
        (15, "2d8dc94f97a51e953f294cf3f39474", "f7d2a13a54f0c862434f4d3b343dc68e"),
        (16, "2baf72a73bc7663ae2834aae91c9a76d", "29b1caabd4d104db0d32e0eb45abd3bc"),
        (17, "d96f4fefc4708443e8c86f87a0b5b2c0f7", "5a62714c4fd916c3396a61fa0cfed520"),
        (
            40,
            "8b1c2ee36f932816776d80e0e3cd81575a79fb5c1ef92f2c79a25ea1f4b75f9bf244386b4315254d",
            "ac7805d054e89fe7831d99b287b1c3e5"
        ),
    ])
    func `EAX decrypts messages of any length`(_ count: Int, _ cipher: String, _ tag: String) throws {
        let key = try #require(CipherBlock(hexadecimal: "91945d3f4dcbee0bf45ef52255f095a4"))
        let mode = EAXMode(key: key, cipher: AESBlock.cipher)
        let (nonce, header) = ((0...count % 7).map { UInt8($0) }, (0..<count).map { UInt8($0) })
        let plain = mode.decrypt(bytes(cipher), nonce: nonce, header: header, tag: bytes(tag))
        #expect(plain == (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
        var wrong = bytes(tag)
        wrong[15] ^= 0x80
        #expect(mode.decrypt(bytes(cipher), nonce: nonce, header: header, tag: wrong) == nil)
        #expect(mode.decrypt(bytes(cipher), nonce: nonce, header: header, tag: []) == nil)
        #expect(mode.decrypt(bytes(cipher), nonce: nonce, header: header, tag: bytes(tag) + [0]) == nil)
    }
}
