import Positioning
import Testing

@Suite struct EddystoneTests {
    /// A payload with flags, the list of services, and the frame.
    private func payload(_ frame: [UInt8]) -> [UInt8] {
        let data: [UInt8] = [0x16, 0xAA, 0xFE] + frame
        return [0x02, 0x01, 0x06, 0x03, 0x03, 0xAA, 0xFE, UInt8(data.count)] + data
    }

    private func frame(_ bytes: [UInt8]) -> BeaconFrame? {
        BeaconFrame.frames(in: payload(bytes)).first
    }

    @Test func `telemetry contains voltage, temperature, packets and uptime`() {
        let found = frame([0x20, 0, 0x0B, 0xB8, 0xE4, 0x40, 0, 1, 0, 2, 0, 0, 0, 25])
        var expected = BeaconTelemetry(format: .eddystone)
        expected.batteryVolts = 3
        expected.celsius = -27.75
        expected.packets = 65538
        expected.uptimeSeconds = 2.5
        #expect(found == .telemetry(expected))
        #expect(found?.identity == nil && found?.powerAtOneMetre == nil)
    }

    @Test func `a beacon without battery or thermometer has neither value`() {
        var expected = BeaconTelemetry(format: .eddystone)
        expected.packets = 0
        expected.uptimeSeconds = 0
        #expect(frame([0x20, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == .telemetry(expected))
    }

    @Test func `truncated telemetry and other versions are ignored`() {
        let whole: [UInt8] = [0x20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        for count in 0..<whole.count { #expect(frame(Array(whole.prefix(count))) == nil) }
        #expect(frame([0x20, 2] + whole.dropFirst(2) + [0, 0, 0, 0]) == nil)
    }

    @Test func `encrypted telemetry is cipher, salt and check`() {
        let cipher = Array(UInt8(1)...12)
        let whole: [UInt8] = [0x20, 1] + cipher + [0x12, 0x34, 0xAB, 0xCD]
        #expect(
            frame(whole)
                == .encryptedTelemetry(EncryptedTelemetry(cipher: cipher, salt: 0x1234, check: 0xABCD))
        )
        for count in 2..<whole.count { #expect(frame(Array(whole.prefix(count))) == nil) }
    }

    @Test func `an ephemeral identifier is eight bytes after its power`() throws {
        let whole: [UInt8] = [0x30, 0xEE, 1, 2, 3, 4, 5, 6, 7, 8]
        let found = try #require(frame(whole))
        #expect(found == .ephemeral(id: 0x0102_0304_0506_0708, powerAtOneMetre: -18 - 41))
        #expect(found.powerAtOneMetre == -59)
        #expect(found.identity == nil)
        for count in 0..<whole.count { #expect(frame(Array(whole.prefix(count))) == nil) }
    }

    /// The example of the format's documentation.
    private static let ruuvi: [UInt8] = [
        0x05, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C, 0xAC, 0x36, 0x42, 0x00,
        0xCD, 0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F,
    ]

    private func ruuvi(_ bytes: [UInt8]) -> BeaconTelemetry? {
        let data: [UInt8] = [0xFF, 0x99, 0x04] + bytes
        let frames = BeaconFrame.frames(in: [0x02, 0x01, 0x06, UInt8(data.count)] + data)
        guard case .telemetry(let telemetry)? = frames.first else { return nil }
        return telemetry
    }

    @Test func `a Ruuvi packet of format 5 is telemetry`() throws {
        let found = try #require(ruuvi(Self.ruuvi))
        #expect(found.format == .ruuvi)
        #expect(abs(try #require(found.celsius) - 24.3) < 1e-9)
        #expect(abs(try #require(found.humidity) - 53.49) < 1e-9)
        #expect(found.pascals == 100_044)
        #expect(found.acceleration == SIMD3(x: 4, y: -4, z: 1036))
        #expect(found.batteryVolts == 2.977)
        #expect(found.movements == 66 && found.packets == 205)
    }

    @Test func `values that a Ruuvi does not know are nil`() {
        let unknown: [UInt8] =
            [5, 0x80, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0x80, 0, 0x80, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            + [UInt8](repeating: 0xFF, count: 6)
        #expect(ruuvi(unknown) == BeaconTelemetry(format: .ruuvi))
    }

    @Test func `other Ruuvi formats and truncated packets are ignored`() {
        for format: UInt8 in [0, 2, 3, 4, 6, 8] { #expect(ruuvi([format] + Self.ruuvi.dropFirst()) == nil) }
        for count in 0..<Self.ruuvi.count { #expect(ruuvi(Array(Self.ruuvi.prefix(count))) == nil) }
    }
}
