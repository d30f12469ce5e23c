import Positioning
import Sensors
import Testing

/// pcap and pcapng captures, read as recordings.
@Suite struct CaptureTests {
    private func readings(_ bytes: [UInt8]) throws(SensorError) -> (
        heard: [BeaconSighting], problems: [String]
    ) {
        var recording = try Recording(.bytes(bytes, name: "x"))
        var heard: [BeaconSighting] = []
        while let reading = try recording.next() {
            if case .beacon(let sighting) = reading { heard.append(sighting) }
        }
        return (heard, recording.problems)
    }

    private func message(_ bytes: [UInt8]) -> String {
        do {
            return "no error, \(try readings(bytes).heard.count) sightings"
        } catch {
            return error.description
        }
    }

    private static let forms: [CaptureFixture.Form] = [.pcap, .pcapNanoseconds, .pcapng]

    private static let wrapped: [(UInt32, [UInt8])] = [
        (187, [4] + BtsnoopFixture.event(minor: 5)), (201, [0, 0, 0, 1, 4] + BtsnoopFixture.event(minor: 5)),
        (254, [0, 1, 0, 3] + BtsnoopFixture.event(minor: 5)),
        (256, CaptureFixture.radio(CaptureFixture.air(minor: 5))),
        (272, CaptureFixture.nordic(CaptureFixture.air(minor: 5))),
        (272, CaptureFixture.nordic(CaptureFixture.air(minor: 5), version: 1, kind: 6)),
    ]

    @Test(arguments: wrapped) func `every link type, format and byte order gives the beacon`(
        _ link: UInt32,
        _ packet: [UInt8]
    ) throws {
        for form in Self.forms {
            for isBig in [false, true] {
                var fixture = CaptureFixture(form, link: link, isBig: isBig)
                for _ in 0..<3 { fixture.add(packet, after: 250_000) }
                let (heard, problems) = try readings(fixture.bytes)
                #expect(heard.map(\.time) == [0, 0.25, 0.5])
                #expect(heard.allSatisfy { $0.identity.minor == 5 && $0.rssi == -60 })
                #expect(problems.isEmpty)
            }
        }
    }

    @Test(
        arguments: [
            (UInt32(187), [[], [1, 0, 0, 0], [2, 0x3E, 0]]),
            (201, [[], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0, 1]]),
            (254, [[], [0, 0, 0], [0, 0, 0, 2, 0x3E], [0, 0, 0, 5]]), (256, [[], [1, 2, 3]]),
            (272, [[], [1, 2, 3], CaptureFixture.nordic(CaptureFixture.air(minor: 1), kind: 0x0E)]),
        ] as [(UInt32, [[UInt8]])]
    )
    func `records without an event and short ones are skipped`(_ link: UInt32, _ packets: [[UInt8]]) throws {
        var fixture = CaptureFixture(.pcap, link: link)
        for packet in packets { fixture.add(packet) }
        #expect(try readings(fixture.bytes).heard.isEmpty)
    }

    @Test func `a packet without radio metadata has no received power`() throws {
        var fixture = CaptureFixture(.pcap, link: 251)
        fixture.add(CaptureFixture.air(minor: 5))
        #expect(try readings(fixture.bytes).heard.isEmpty)
        #expect(try readings(fixture.bytes).problems.isEmpty)
    }

    @Test(arguments: UInt8(0)...15) func `only advertising packets are read from link-layer captures`(
        _ kind: UInt8
    ) throws {
        var fixture = CaptureFixture(.pcap, link: 256)
        fixture.add(CaptureFixture.radio(CaptureFixture.air(minor: 5, kind: kind)))
        #expect(try readings(fixture.bytes).heard.count == ([0, 2, 4, 6, 7].contains(kind) ? 1 : 0))
    }

    @Test func `an extended packet without sender or data is skipped`() throws {
        var fixture = CaptureFixture(.pcap, link: 256)
        for body: [UInt8] in [
            [0], [3, 0x08, 1, 2, 9, 9], [1, 0, 2, 1, 6], [7, 0x01, 1, 2, 3, 4, 5, 6],
            [7, 0x02, 1, 2, 3, 4, 5, 6, 9],
            [9, 1, 1],
        ] {
            let air: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E, 7, UInt8(body.count)] + body + [0, 0, 0]
            fixture.add(CaptureFixture.radio(air))
        }
        let found = try readings(fixture.bytes)
        #expect(found.heard.isEmpty)
        // The header is longer than the packet.
        #expect(found.problems == ["skipped 1 damaged advertising reports"])
    }

    @Test func `a packet with a wrong checksum or a wrong length is damaged`() throws {
        let air = CaptureFixture.air(minor: 5)
        var fixture = CaptureFixture(.pcapng, link: 256)
        fixture.add(CaptureFixture.radio(air, flags: 0x0402))
        fixture.add(CaptureFixture.radio(Array(air.dropLast(4))))
        fixture.add(CaptureFixture.radio(air, flags: 0x0002))
        // The radio did not measure the power.
        fixture.add(CaptureFixture.radio(air, flags: 0x0C00))
        // A connection, and a packet with coded PHY.
        fixture.add(CaptureFixture.radio([1, 2, 3, 4] + air.dropFirst(4)))
        fixture.add(CaptureFixture.radio(CaptureFixture.air(minor: 6, isCoded: true), flags: 0x8C02))
        fixture.interface(272)
        fixture.add(CaptureFixture.nordic(air, flags: 0), interface: 1)
        fixture.add(
            CaptureFixture.nordic(CaptureFixture.air(minor: 7, isCoded: true), flags: 0x21),
            interface: 1
        )
        let (heard, problems) = try readings(fixture.bytes)
        #expect(heard.map(\.identity.minor) == [5, 6, 7])
        #expect(problems == ["skipped 3 damaged advertising reports"])
    }

    @Test func `a truncated record is skipped and counted`() throws {
        for form in Self.forms {
            var fixture = CaptureFixture(form, link: 187)
            fixture.add([4] + BtsnoopFixture.event(minor: 1))
            fixture.add([4, 1], original: 40)
            fixture.add([4] + BtsnoopFixture.event(minor: 2))
            let (heard, problems) = try readings(fixture.bytes)
            #expect(heard.map(\.identity.minor) == [1, 2])
            #expect(problems == ["skipped 1 truncated records"])
        }
    }

    @Test func `records before an incomplete last record are read`() throws {
        for form in Self.forms {
            var fixture = CaptureFixture(form, link: 187)
            fixture.add([4] + BtsnoopFixture.event(minor: 1))
            let start = fixture.bytes.count
            fixture.add([4] + BtsnoopFixture.event(minor: 2))
            for count in start + 1..<fixture.bytes.count {
                let (heard, problems) = try readings(Array(fixture.bytes.prefix(count)))
                #expect(heard.map(\.identity.minor) == [1])
                #expect(problems.count == 1 && problems.first?.contains("at byte \(start)") == true)
            }
        }
    }

    @Test func `a file that cannot be replayed is refused with the reason`() {
        #expect(message(CaptureFixture(.pcap, link: 1).bytes).contains("has link type 1; supported"))
        #expect(
            message(Array(CaptureFixture(.pcap, link: 187).bytes.prefix(20))).contains("header of 24 bytes")
        )
        var old = CaptureFixture(.pcap, link: 187)
        old.bytes[4] = 1
        #expect(message(old.bytes).contains("pcap version 1"))
        #expect(message(CaptureFixture(.pcapng, link: 187).bytes) == "no error, 0 sightings")
        #expect(message(Array(CaptureFixture(.pcapng, link: 187).bytes.prefix(9))).contains("pcapng header"))
        #expect(message([1, 2, 3]).contains("neither a capture (btsnoop, pcap, pcapng) nor a trace"))
    }

    @Test func `an invalid record is reported with its number and offset`() {
        var huge = CaptureFixture(.pcap, link: 187)
        huge.bytes += [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0]
        #expect(
            message(huge.bytes).contains("record 1 at byte 24: invalid packet length of 2147483647 bytes")
        )
        var blocks = CaptureFixture(.pcapng, link: 187)
        blocks.add([4], interface: 3)
        #expect(message(blocks.bytes).contains("block 3 at byte 48: a packet of the undeclared interface 3"))
        for (length, problem) in [
            (8, "of 8 bytes"), (14, "of 14 bytes"), (0x7FFF_FFF0, "invalid block length"),
        ] {
            var block = CaptureFixture(.pcapng, link: 187)
            block.bytes += block.number(UInt32(6)) + block.number(UInt32(length)) + [0, 0, 0, 0]
            #expect(message(block.bytes).contains(problem))
        }
        var ends = CaptureFixture(.pcapng, link: 187)
        ends.bytes[ends.bytes.count - 4] = 24
        #expect(message(ends.bytes).contains("two lengths differ"))
        var mark = CaptureFixture(.pcapng, link: 187)
        mark.bytes[8] = 0
        #expect(message(mark.bytes).contains("byte-order magic"))
        var many = CaptureFixture(.pcapng, link: 187)
        for _ in 0..<300 { many.interface(187) }
        #expect(message(many.bytes).contains("more than 256 interfaces"))
    }

    @Test func `pcapng sections may differ in byte order and interfaces and unknown blocks are skipped`()
        throws
    {
        var first = CaptureFixture(.pcapng, link: 187)
        first.add([4] + BtsnoopFixture.event(minor: 1))
        first.block(0xBAD, [1, 2, 3, 4, 5])
        first.interface(1)
        first.add([1, 2, 3], interface: 1)
        // An obsolete packet block, and one without a time.
        let event = [4] + BtsnoopFixture.event(minor: 2)
        let length = first.number(UInt32(event.count))
        first.block(2, first.number(UInt16(0)) + [0, 0] + first.number(UInt64(0)) + length + length + event)
        first.block(3, length + event)
        var second = CaptureFixture(.pcapng, link: 254, isBig: true)
        second.add([0, 0, 0, 3] + BtsnoopFixture.event(minor: 3))
        let (heard, problems) = try readings(first.bytes + second.bytes)
        #expect(heard.map(\.identity.minor) == [1, 2, 3])
        #expect(problems == ["skipped 1 truncated records"])
    }

    @Test(
        arguments: [
            ([9, 0, 1, 0, 9, 0, 0, 0], UInt64(1_000_000_000)), ([9, 0, 1, 0, 3, 0, 0, 0], 1000),
            ([9, 0, 1, 0, 0x8A, 0, 0, 0], 1024), ([9, 0, 1, 0, 0, 0, 0, 0], 1),
            ([2, 0, 2, 0, 65, 66, 0, 0, 14, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0], 1_000_000),
        ] as [([UInt8], UInt64)]
    )
    func `an interface defines its time unit`(_ options: [UInt8], _ perSecond: UInt64) throws {
        var fixture = CaptureFixture(.pcapng, link: 1)
        fixture.interface(187, options: options)
        for second: UInt64 in [5, 6, 9] {
            fixture.add([4] + BtsnoopFixture.event(minor: 1), interface: 1, tick: second * perSecond)
        }
        #expect(try readings(fixture.bytes).heard.map(\.time) == [0, 1, 4])
    }

    @Test func `numbers are read in both byte orders and never past the end`() {
        let bytes: [UInt8] = [0x01, 0x02, 0xFF, 0x07]
        var cursor = ByteCursor(bytes[...], .big)
        #expect(cursor.number(UInt16.self) == 0x0102)
        #expect(cursor.number(UInt32.self) == nil)
        #expect(cursor.read(-1) == nil)
        #expect(cursor.byte() == 0xFF && cursor.byte() == 7 && cursor.byte() == nil)
        var little = ByteCursor(bytes[...], .little)
        #expect(little.number(UInt16.self) == 0x0201)
        #expect(little.number(UInt16.self) == 0x07FF)
    }
}
