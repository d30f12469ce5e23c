import Positioning
import Sensors
import Testing

@Suite struct BeaconReceiverTests {
    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 7)
    private static let ruuvi: [UInt8] = [
        0x1B, 0xFF, 0x99, 0x04, 0x05, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C,
        0xAC, 0x36, 0x42, 0x00, 0xCD, 0xC0, 0xFF, 0xEE, 0, 0, 1,
    ]
    /// 2.3 V.
    private static let telemetry: [UInt8] = [
        0x11, 0x16, 0xAA, 0xFE, 0x20, 0, 0x08, 0xFC, 0x15, 0x80, 0, 0, 0, 1, 0, 0, 0, 2,
    ]
    private static var iBeacon: [UInt8] {
        BeaconFrame.iBeaconPayload(
            uuid: BeaconUUID(high: 1, low: 2),
            major: 1,
            minor: 7,
            powerAtOneMetre: -59
        )
    }

    private func event(_ payload: [UInt8], address: UInt8 = 1, rssi: Int8 = -60) -> [UInt8] {
        let report: [UInt8] =
            [0, 1, address, 0, 0, 0, 0, 0xC0, UInt8(payload.count)] + payload + [UInt8(bitPattern: rssi)]
        return [0x3E, UInt8(report.count + 2), 0x02, 1] + report
    }

    private func hear(_ events: [(Double, [UInt8])], _ receiver: inout BeaconReceiver) -> [SensorReading] {
        var readings: [SensorReading] = []
        for (time, event) in events {
            let now = BeaconReceiver.Instant(time: time, wall: 1_700_000_000 + time)
            receiver.receive(event: event.span, at: now, into: &readings)
        }
        return readings
    }

    private func hear(_ events: [(Double, [UInt8])]) -> [SensorReading] {
        var receiver = BeaconReceiver()
        return hear(events, &receiver)
    }

    private func sighting(_ time: Double, rssi: Int = -60) -> SensorReading {
        .beacon(BeaconSighting(identity: Self.identity, rssi: rssi, powerAtOneMetre: -59, time: time))
    }

    private func battery(_ reading: SensorReading?, of sender: TelemetrySender) -> Double? {
        guard case .telemetry(let telemetry, sender, _)? = reading else { return nil }
        return telemetry.batteryVolts
    }

    @Test func `a beacon gives a sighting with its power and other devices are only counted`() {
        var receiver = BeaconReceiver()
        let readings = hear([(1, event(Self.iBeacon)), (2, event([2, 1, 6]))], &receiver)
        #expect(readings == [sighting(1)])
        #expect(receiver.packets == 2)
        #expect(receiver.damagedReports == 0)
    }

    @Test(arguments: [Int8(127), 0, 42, -111, -128]) func `an impossible power gives no sighting`(
        _ rssi: Int8
    ) {
        #expect(hear([(1, event(Self.iBeacon, rssi: rssi)), (2, event(Self.ruuvi, rssi: rssi))]).isEmpty)
    }

    @Test func `telemetry belongs to the next beacon from the same address`() {
        let readings = hear([
            (1, event(Self.telemetry, address: 1)), (1.5, event(Self.iBeacon, address: 2)),
            (2, event(Self.iBeacon, address: 1)), (3, event(Self.iBeacon, address: 1)),
        ])
        #expect(readings.count == 4)
        #expect(
            readings.filter { self.battery($0, of: .beacon(Self.identity)) == nil }.map(\.time) == [
                1.5, 2, 3,
            ]
        )
        #expect(battery(readings[2], of: .beacon(Self.identity)) == 2.3)
        #expect(readings[2].time == 2)
    }

    @Test func `telemetry is not kept long without its beacon`() {
        let late = hear([(1, event(Self.telemetry)), (11.5, event(Self.iBeacon))])
        #expect(late == [sighting(11.5)])
        // The clock was set back.
        let back = hear([(100, event(Self.telemetry)), (1, event(Self.iBeacon))])
        #expect(back == [sighting(1)])
    }

    @Test func `telemetry of many addresses does not accumulate`() {
        var receiver = BeaconReceiver()
        for round in 0..<1000 {
            var report = event(Self.telemetry)
            report[6] = UInt8(truncatingIfNeeded: round)
            report[7] = UInt8(truncatingIfNeeded: round >> 8)
            let readings = hear([(Double(round) / 1000, report)], &receiver)
            #expect(readings.isEmpty)
        }
        let readings = hear([(2, event(Self.telemetry)), (2, event(Self.iBeacon))], &receiver)
        #expect(readings.count == 2)
    }

    @Test func `a Ruuvi is identified by its address`() {
        let address = DeviceAddress(bits: 0xC000_0000_0001, isRandom: true)
        #expect(battery(hear([(1, event(Self.ruuvi))]).first, of: .device(address)) == 2.977)
    }

    @Test func `one packet may contain several frames`() {
        var payload = Self.telemetry + Self.iBeacon.dropFirst(3)
        #expect(hear([(1, event(payload))]).count == 2)
        payload = Self.iBeacon + Self.telemetry + Self.ruuvi
        #expect(hear([(1, event(payload))]).count == 2)
    }

    @Test func `a beacon with rotating identifiers and its telemetry are resolved with its key`() {
        let beacon = EphemeralBeacon(
            identity: Self.identity,
            key: CipherBlock(UInt8(0)...15),
            exponent: 10,
            clockStart: 1_700_000_000 - 123_456_789
        )
        let id = beacon.id(at: 123_456_789, cipher: AESBlock.cipher)
        let frame: [UInt8] = [0x0D, 0x16, 0xAA, 0xFE, 0x30, 0xEE] + id.bigEndianBytes
        let cipher: [UInt8] = [5, 0x8A, 0xAA, 0xAE, 0x33, 0xD6, 0x21, 0x52, 0x87, 0xB3, 0x5A, 0xAD]
        let telemetry: [UInt8] =
            [0x15, 0x16, 0xAA, 0xFE, 0x20, 1] + cipher + [0x12, 0x34, 0xD2, 0x46]
        let events = [(0.0, event(frame)), (1, event(telemetry)), (2, event(frame))]
        var receiver = BeaconReceiver(ephemerals: EphemeralBeacons([beacon], cipher: AESBlock.cipher))
        let readings = hear(events, &receiver)
        #expect(readings.prefix(2) == [sighting(0), sighting(2)])
        #expect(battery(readings.last, of: .beacon(Self.identity)) == 3)
        #expect(hear(events).isEmpty, "without the key")
        // An unencrypted identifier does not decrypt telemetry.
        #expect(hear([(0, event(telemetry)), (1, event(Self.iBeacon))]) == [sighting(1)])
    }
}
