import Positioning
import Sensors
import Testing

@Suite struct BtsnoopTests {
    private func events(_ bytes: [UInt8]) throws(SensorError) -> [[UInt8]?] {
        var reader = try PacketReader<BtsnoopFormat>(.bytes(bytes, name: "x"))
        var events: [[UInt8]?] = []
        while let record = try reader.next() { events.append(record.event) }
        return events
    }

    private func message(_ bytes: [UInt8]) -> String {
        do {
            return "no error, \(try events(bytes).count) records"
        } catch {
            return error.description
        }
    }

    @Test func `datalink 1001 marks events by flags`() throws {
        var fixture = BtsnoopFixture(datalink: 1001)
        for flags: UInt32 in 0...3 { fixture.add([0x3E, 0], flags: flags) }
        #expect(try events(fixture.bytes) == [nil, nil, nil, [0x3E, 0]])
    }

    @Test func `datalink 1002 marks events by their first byte`() throws {
        var fixture = BtsnoopFixture(datalink: 1002)
        for type: UInt8 in 1...5 { fixture.add([type, 0x3E, 0], flags: 1) }
        fixture.add([], flags: 1)
        #expect(try events(fixture.bytes) == [nil, nil, nil, [0x3E, 0], nil, nil])
    }

    @Test func `datalink 2001 marks events by opcode on every adapter`() throws {
        var fixture = BtsnoopFixture(datalink: 2001)
        for flags: UInt32 in [0, 2, 3, 0x0001_0003, 5, 10, 0xFFFF_0000] {
            fixture.add([0x3E, 0], flags: flags)
        }
        #expect(try events(fixture.bytes) == [nil, nil, [0x3E, 0], [0x3E, 0], nil, nil, nil])
    }

    @Test func `times are microseconds since 1970`() throws {
        var fixture = BtsnoopFixture(datalink: 1001)
        fixture.add([], flags: 0, after: 42)
        var reader = try PacketReader<BtsnoopFormat>(.bytes(fixture.bytes, name: "x"))
        #expect(try reader.next()?.microseconds == 1_700_000_000_000_042)
    }

    @Test func `a truncated record is skipped and counted`() throws {
        var fixture = BtsnoopFixture(datalink: 1002)
        fixture.add([4, 1], flags: 1)
        fixture.add([4, 2], flags: 1, original: 40)
        fixture.add([4, 3], flags: 1)
        var reader = try PacketReader<BtsnoopFormat>(.bytes(fixture.bytes, name: "x"))
        #expect(try reader.next()?.event == [1])
        #expect(try reader.next()?.event == [3])
        #expect(try reader.next() == nil)
        #expect(reader.cutRecords == 1)
        #expect(reader.truncation == nil)
    }

    @Test func `records before an incomplete last record are read`() throws {
        var fixture = BtsnoopFixture(datalink: 1001)
        fixture.add([1, 2, 3], flags: 3)
        fixture.add([4, 5, 6, 7], flags: 3)
        for missing in 1..<28 {
            var reader = try PacketReader<BtsnoopFormat>(
                .bytes(fixture.bytes.dropLast(missing), name: "walk.log")
            )
            #expect(try reader.next()?.event == [1, 2, 3])
            #expect(try reader.next() == nil)
            let text = try #require(reader.truncation).description
            #expect(text.hasPrefix("walk.log: record 2 at byte 43: the capture ends"))
            #expect(try reader.next() == nil)
        }
        #expect(message(fixture.bytes.dropLast(28)) == "no error, 1 records")
    }

    @Test func `any other file is refused with the reason`() {
        #expect(message([]).contains("is not a btsnoop capture"))
        #expect(message(Array("btsnoop!12345678".utf8)).contains("is not a btsnoop capture"))
        #expect(message(BtsnoopFixture(datalink: 1001, version: 2).bytes).contains("version 2"))
        #expect(message(BtsnoopFixture(datalink: 1003).bytes).contains("datalink 1003"))
        #expect(message(BtsnoopFixture(datalink: 1001).bytes.dropLast(3)).contains("header of 16 bytes"))
        #expect(message(BtsnoopFixture(datalink: 1001).bytes) == "no error, 0 records")
    }

    @Test func `an invalid record is reported with its number and offset`() {
        var fixture = BtsnoopFixture(datalink: 1001)
        fixture.add([1], flags: 3)
        fixture.add([1, 2], flags: 3, original: 1)
        #expect(
            message(fixture.bytes).hasPrefix(
                "x: record 2 at byte 41: invalid packet length: 2 bytes included of 1"
            )
        )
        var huge = BtsnoopFixture(datalink: 1001)
        huge.add([], flags: 3)
        huge.bytes.replaceSubrange(16..<24, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(message(huge.bytes).contains("record 1 at byte 16"))
    }

    @Test func `a written capture is read back`() throws {
        var writer = BtsnoopWriter(secondsSince1970: 1_767_225_600)
        let sent = (0..<50).map { index in
            Advertisement(
                time: Double(index) / 8,
                address: DeviceAddress(bits: UInt64(index), isRandom: index % 2 == 0),
                payload: [UInt8](repeating: 7, count: index % 32),
                rssi: -40 - index
            )
        }
        for advertisement in sent { writer.append(advertisement) }
        var reader = try PacketReader<BtsnoopFormat>(.bytes(writer.bytes, name: "x"))
        var parser = AdvertisingReportParser()
        var heard: [Advertisement] = []
        while let record = try reader.next() {
            let time = Double(record.microseconds - 1_767_225_600_000_000) / 1_000_000
            heard += parser.advertisements(in: try #require(record.event), at: time)
        }
        #expect(heard == sent)
    }

    @Test func `a packet that exceeds a report is written within its limits`() throws {
        var writer = BtsnoopWriter(secondsSince1970: 0)
        let address = DeviceAddress(bits: 0, isRandom: false)
        for time in [-1, Double.nan, .infinity, 1e300] {
            writer.append(
                Advertisement(
                    time: time,
                    address: address,
                    payload: [UInt8](repeating: 1, count: 400),
                    rssi: 900
                )
            )
        }
        #expect(try events(writer.bytes).count == 4)
    }

    @Test func `random and mutated captures never trap`() {
        var generator = SeededGenerator(seed: 4)
        var fixtures: [[UInt8]] = []
        for datalink: UInt32 in [1001, 1002, 2001] {
            var fixture = BtsnoopFixture(datalink: datalink)
            for minor in 0..<4 {
                let event = BtsnoopFixture.event(minor: UInt16(minor))
                fixture.add(datalink == 1002 ? [4] + event : event, flags: 3)
            }
            fixtures.append(fixture.bytes)
        }
        var readings = 0
        for turn in 0..<10_000 {
            var bytes = fixtures[turn % 3]
            for _ in 0..<Int(generator.next() % 6) {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: generator.next()
                )
            }
            bytes.removeLast(Int(generator.next() % UInt64(bytes.count)))
            guard var recording = try? Recording(.bytes(bytes, name: "x")) else { continue }
            while let reading = try? recording.next() {
                readings += 1
                #expect(reading.time >= 0)
            }
        }
        #expect(readings > 1000)
    }
}
