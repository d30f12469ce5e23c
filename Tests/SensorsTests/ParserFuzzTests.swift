import Positioning
import SeededRandom
import Sensors
import Testing

/// Arbitrary input from the air, a controller or a file gives valid readings or none.
@Suite struct ParserFuzzTests {
    private static var payloads: [[UInt8]] {
        let beacon = BeaconFrame.iBeaconPayload(
            uuid: BeaconUUID(high: 1, low: 2),
            major: 1,
            minor: 7,
            powerAtOneMetre: -59
        )
        let frames: [[UInt8]] = [
            [0x1B, 0xFF, 1, 2, 0xBE, 0xAC] + [UInt8](repeating: 9, count: 20) + [0xC5, 0],
            [0x17, 0x16, 0xAA, 0xFE, 0, 0xEE] + [UInt8](repeating: 0x12, count: 16) + [0, 0],
            [0x07, 0x16, 0xAA, 0xFE, 0x10, 0xEE, 0x02, 0x61],
            [0x11, 0x16, 0xAA, 0xFE, 0x20, 0, 0x0B, 0xB8, 0x15, 0x80, 0, 0, 0, 1, 0, 0, 0, 2],
            [0x15, 0x16, 0xAA, 0xFE, 0x20, 1] + [UInt8](repeating: 3, count: 16),
            [0x0D, 0x16, 0xAA, 0xFE, 0x30, 0xEE] + [UInt8](repeating: 3, count: 8),
            [0x1B, 0xFF, 0x99, 0x04, 5] + [UInt8](repeating: 0x40, count: 23),
        ]
        return [beacon] + frames + [beacon + frames.joined()]
    }

    @Test func `arbitrary payloads give valid frames or none`() {
        var fuzz = Fuzz(seed: 11, corpus: Self.payloads)
        var kinds: Set<String> = []
        for _ in 0..<Fuzz.count {
            BeaconFrame.forEachFrame(in: fuzz.next().span) { frame in
                if let power = frame.powerAtOneMetre { #expect((-170..<0).contains(power)) }
                if case .telemetry(let telemetry) = frame {
                    #expect(telemetry.batteryVolts.map { (0...66).contains($0) } ?? true)
                    #expect(telemetry.celsius.map { (-200...200).contains($0) } ?? true)
                }
                kinds.insert("\(frame)".prefix { $0 != "(" }.description)
            }
        }
        #expect(kinds.count == 4)
    }

    private static func event(_ payload: [UInt8], isExtended: Bool) -> [UInt8] {
        let payload = payload.prefix(220)
        let report: [UInt8] =
            isExtended
            ? [0x13, 0, 1, 1, 2, 3, 4, 5, 0xC6, 1, 0, 0xFF, 127, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0]
                + [UInt8(payload.count)] + payload
            : [0, 1, 1, 2, 3, 4, 5, 0xC6, UInt8(payload.count)] + payload + [0xC4]
        return [0x3E, UInt8(report.count + 2), isExtended ? 0x0D : 0x02, 1] + report
    }

    @Test func `arbitrary events give valid readings or none`() {
        let corpus = Self.payloads.flatMap {
            [Self.event($0, isExtended: false), Self.event($0, isExtended: true)]
        }
        let beacon = EphemeralBeacon(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4),
            key: .zero,
            exponent: 5,
            clockStart: 0
        )
        var fuzz = Fuzz(seed: 12, corpus: corpus)
        var receiver = BeaconReceiver(ephemerals: EphemeralBeacons([beacon], cipher: AESBlock.cipher))
        var readings: [SensorReading] = []
        var count = 0
        for turn in 0..<Fuzz.count {
            let now = BeaconReceiver.Instant(time: Double(turn) / 100, wall: Double(turn % 7000))
            receiver.receive(event: fuzz.next().span, at: now, into: &readings)
            for case .beacon(let sighting) in readings {
                #expect(BeaconSighting.isUsable(rssi: sighting.rssi))
                count += 1
            }
            readings.removeAll(keepingCapacity: true)
        }
        #expect(count > Fuzz.count / 20)
        #expect(receiver.damagedReports > Fuzz.count / 50)
    }

    private static var captures: [[UInt8]] {
        let event = BtsnoopFixture.event(minor: 1)
        var files: [[UInt8]] = []
        for datalink: UInt32 in [1001, 1002, 2001] {
            var fixture = BtsnoopFixture(datalink: datalink)
            for _ in 0..<3 { fixture.add(datalink == 1002 ? [4] + event : event, flags: 3) }
            files.append(fixture.bytes)
        }
        let air = CaptureFixture.air(minor: 2)
        let packets: [(UInt32, [UInt8])] = [
            (187, [4] + event), (201, [0, 0, 0, 1, 4] + event), (254, [0, 0, 0, 3] + event), (251, air),
            (256, CaptureFixture.radio(CaptureFixture.air(minor: 2, kind: 7))),
            (272, CaptureFixture.nordic(air)),
        ]
        for (number, (link, packet)) in packets.enumerated() {
            for form in [CaptureFixture.Form.pcap, .pcapNanoseconds, .pcapng] {
                var fixture = CaptureFixture(form, link: link, isBig: number % 2 == 0)
                fixture.interfaceIfBlocks()
                for _ in 0..<3 { fixture.add(packet) }
                files.append(fixture.bytes)
            }
        }
        return files
    }

    @Test func `arbitrary captures give ordered readings or an error`() {
        var fuzz = Fuzz(seed: 13, corpus: Self.captures)
        var count = 0
        for _ in 0..<Fuzz.count / 2 {
            guard var recording = try? Recording(.bytes(fuzz.next(), name: "x")) else { continue }
            var latest = 0.0
            while let reading = try? recording.next() {
                #expect(reading.time >= latest)
                latest = reading.time
                count += 1
            }
        }
        #expect(count > Fuzz.count / 10)
    }
}

extension CaptureFixture {
    fileprivate mutating func interfaceIfBlocks() {
        guard bytes.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) else { return }
        interface(187, options: number(UInt16(9)) + number(UInt16(1)) + [9, 0, 0, 0])
    }
}
