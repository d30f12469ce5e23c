import Positioning
import Sensors
import Testing
import Threading

@Suite struct PacketFeedTests {
    private static let phone = DeviceAddress(bits: 0x4101_0203_0405, isRandom: true)

    private static func capture() -> [UInt8] {
        var writer = BtsnoopWriter(secondsSince1970: 1_700_000_000)
        for number in 0..<3 {
            writer.append(
                Advertisement(time: Double(number), address: phone, payload: [2, 1, 6], rssi: -60 - number)
            )
        }
        return writer.bytes
    }

    @Test func `a recording gives the packets of what is no beacon, with their times`() throws {
        var recording = try Recording(.bytes(Self.capture(), name: "x"), collectsPackets: true)
        for number in 0..<3 {
            #expect(try recording.next() == .tick(time: Double(number)))
            let packet = AdvertisingPacket(sender: Self.phone, rssi: -60 - number, payload: [2, 1, 6])
            #expect(recording.removePackets() == [packet])
        }
        #expect(try recording.next() == nil)
    }

    @Test func `without a listener for packets a recording has none`() throws {
        var recording = try Recording(.bytes(Self.capture(), name: "x"))
        #expect(try recording.next() == nil && recording.removePackets().isEmpty)
    }

    @Test func `everybody who listens is sent each packet, until they are removed`() {
        let feed = PacketFeed()
        let heard = Locked<[Int]>([])
        let first = feed.add { _, _, rssi in heard.withLock { $0.append(rssi) } }
        _ = feed.add { payload, _, _ in
            let count = payload.count
            heard.withLock { $0.append(count) }
        }
        let payload: [UInt8] = [2, 1, 6]
        feed.send(payload.span, from: Self.phone, rssi: -50)
        feed.remove(first)
        feed.send(payload.span, from: Self.phone, rssi: -51)
        #expect(heard.withLock { $0 } == [-50, 3, 3])
    }
}
