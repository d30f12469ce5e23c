import Positioning
import Sensors
import Testing

@Suite struct AdvertisingReportParserTests {
    private func legacy(type: UInt8 = 3, address: UInt8 = 1, data: [UInt8] = [2, 1, 6], rssi: Int8 = -60)
        -> [UInt8]
    {
        [type, 1, address, 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
    }

    private func extended(
        type: UInt16 = 0x10,
        address: UInt8 = 1,
        set: UInt8 = 0xFF,
        data: [UInt8] = [2, 1, 6],
        rssi: Int8 = -60
    ) -> [UInt8] {
        [UInt8(type & 0xFF), UInt8(type >> 8), 1, address, 0, 0, 0, 0, 0xC0, 1, 0, set, 127]
            + [UInt8(bitPattern: rssi), 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)] + data
    }

    private func event(_ subevent: UInt8, _ reports: [[UInt8]]) -> [UInt8] {
        let body = [subevent, UInt8(reports.count)] + reports.flatMap { $0 }
        return [0x3E, UInt8(body.count)] + body
    }

    @Test(arguments: UInt8(0)...4) func `every type of legacy report is parsed`(_ type: UInt8) {
        var parser = AdvertisingReportParser()
        let heard = parser.advertisements(in: event(0x02, [legacy(type: type)]), at: 5)
        let address = DeviceAddress(bits: 0xC000_0000_0001, isRandom: true)
        #expect(heard == [Advertisement(time: 5, address: address, payload: [2, 1, 6], rssi: -60)])
    }

    @Test func `an event may contain several reports`() {
        var parser = AdvertisingReportParser()
        let reports = [
            legacy(address: 1, rssi: -50), legacy(address: 2, data: [], rssi: 127),
            legacy(address: 3, rssi: -70),
        ]
        let heard = parser.advertisements(in: event(0x02, reports), at: 0)
        #expect(heard.map(\.rssi) == [-50, 127, -70])
        #expect(heard.map(\.payload.count) == [3, 0, 3])
        #expect(parser.damagedReports == 0)
    }

    @Test(arguments: [UInt16(0x10), 0x12, 0x13, 0x1A, 0x1B, 0x00, 0x01]) func `extended reports are parsed`(
        _ type: UInt16
    ) {
        var parser = AdvertisingReportParser()
        let reports = [extended(type: type, rssi: -71), extended(type: type, address: 2)]
        let heard = parser.advertisements(in: event(0x0D, reports), at: 1)
        #expect(heard.map(\.rssi) == [-71, -60])
        #expect(heard.map(\.address.bits) == [0xC000_0000_0001, 0xC000_0000_0002])
        #expect(heard.first?.payload == [2, 1, 6])
    }

    @Test func `fragments are joined by sender and set`() {
        var parser = AdvertisingReportParser()
        let more: UInt16 = 0x20
        let reports = [
            extended(type: more, address: 1, set: 0, data: [1]),
            extended(type: more, address: 1, set: 1, data: [7]),
            extended(type: more, address: 2, set: 0, data: [9]),
            extended(type: more, address: 1, set: 0, data: [2]),
        ]
        #expect(parser.advertisements(in: event(0x0D, reports), at: 0).isEmpty)
        let rest = [
            extended(type: 0, address: 1, set: 0, data: [3]),
            extended(type: 0, address: 1, set: 1, data: [8]),
        ]
        #expect(parser.advertisements(in: event(0x0D, rest), at: 1).map(\.payload) == [[1, 2, 3], [7, 8]])
        let again = parser.advertisements(
            in: event(0x0D, [extended(type: 0, address: 1, set: 0, data: [4])]),
            at: 2
        )
        #expect(again.map(\.payload) == [[4]])
    }

    @Test func `a report that the controller truncated is dropped with its fragments`() {
        var parser = AdvertisingReportParser()
        for type: UInt16 in [0x20, 0x40] {
            #expect(parser.advertisements(in: event(0x0D, [extended(type: type, set: 0)]), at: 0).isEmpty)
        }
        let next = parser.advertisements(in: event(0x0D, [extended(type: 0, set: 0, data: [5])]), at: 0)
        #expect(next.map(\.payload) == [[5]])
        #expect(parser.damagedReports == 1)
    }

    @Test func `incomplete fragments do not accumulate`() {
        var parser = AdvertisingReportParser()
        let piece = [UInt8](repeating: 1, count: 200)
        for round in 0..<20 {
            let heard = parser.advertisements(
                in: event(0x0D, [extended(type: 0x20, set: 0, data: piece)]),
                at: 0
            )
            #expect(heard.isEmpty, "\(round)")
        }
        #expect(parser.damagedReports >= 2)
        for address in 0..<UInt8(200) {
            _ = parser.advertisements(
                in: event(0x0D, [extended(type: 0x20, address: address, set: 3)]),
                at: 0
            )
        }
        #expect(parser.damagedReports >= 100)
    }

    @Test func `complete reports before a truncated one are kept`() {
        let whole = event(0x02, [legacy(address: 1), legacy(address: 2)])
        for missing in 1...12 {
            var parser = AdvertisingReportParser()
            #expect(
                parser.advertisements(in: whole.dropLast(missing), at: 0).map(\.address.bits) == [
                    0xC000_0000_0001
                ]
            )
            #expect(parser.damagedReports == 1)
        }
    }

    @Test(
        arguments: [
            [], [0x3E], [0x3E, 0], [0x0E, 4, 1, 3, 0x0C, 0], [0x3E, 2, 0x01, 0x00], [0x3E, 1, 0x02],
            [0x3E, 2, 0x02, 0],
            [0x3E, 2, 0x02, 0xFF],
        ] as [[UInt8]]
    )
    func `other events and empty ones contain no reports`(_ event: [UInt8]) {
        var parser = AdvertisingReportParser()
        #expect(parser.advertisements(in: event, at: 0).isEmpty)
    }

    @Test func `random and mutated events never trap`() {
        var generator = SeededGenerator(seed: 2)
        var parser = AdvertisingReportParser()
        let good = [
            event(0x02, [legacy(address: 1), legacy(address: 2)]),
            event(0x0D, [extended(type: 0x20), extended()]),
        ]
        var heard = 0
        for turn in 0..<20_000 {
            var bytes = good[turn % 2]
            for _ in 0..<Int(generator.next() % 4) {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: generator.next()
                )
            }
            bytes.removeLast(Int(generator.next() % 8))
            heard += parser.advertisements(in: bytes, at: 0).count
        }
        #expect(heard > 1000)
    }
}

extension AdvertisingReportParser {
    /// The advertising packets in an event; none in other events.
    mutating func advertisements(in event: [UInt8], at time: Double) -> [Advertisement] {
        var advertisements: [Advertisement] = []
        forEachAdvertisement(in: event.span) { sender, rssi, payload in
            let bytes = payload.indices.map { payload[$0] }
            advertisements.append(Advertisement(time: time, address: sender, payload: bytes, rssi: rssi))
        }
        return advertisements
    }
}
