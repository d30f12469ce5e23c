import Positioning
import Receivers
import SeededRandom
import Testing

@Suite struct ReportScheduleTests {
    private static let fixed = DeviceAddress(bits: 0xC123_4567_89AB, isRandom: true)
    private static let uuid = BeaconUUID(high: 0x2F23_4454_CF6D_4A0F, low: 0xADF2_F491_1BA9_FFA6)
    private static let iBeacon = BeaconFrame.iBeaconPayload(
        uuid: uuid,
        major: 1,
        minor: 7,
        powerAtOneMetre: -65
    )
    /// A name, "Anna's Watch".
    private static let named: [UInt8] = [13, 0x09] + Array("Anna's Watch".utf8)

    private func packet(
        _ payload: [UInt8] = [],
        from address: DeviceAddress = fixed,
        keyName: String? = nil,
        _ rssi: Int = -70,
        at time: Double = 0
    ) -> HeardPacket {
        HeardPacket(payload.span, from: address, keyName: keyName, rssi: rssi, at: time)
    }

    @Test func `a sender has the id that ESPresense gives it`() {
        let eddystone: [UInt8] =
            [0x17, 0x16, 0xAA, 0xFE, 0, 0xEE] + Array(0...9) + Array(0xA0...0xA5) + [0, 0]
        let fixedPublic = DeviceAddress(bits: 0xAABB_CCDD_EEFF, isRandom: false)
        #expect("\(packet(Self.iBeacon).id)" == "iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7")
        #expect(packet(Self.iBeacon).powerAtOneMetre == -65)
        #expect("\(packet(eddystone).id)" == "eddystone:00010203040506070809-a0a1a2a3a4a5")
        #expect(
            "\(packet(Self.named).id)" == "name:anna-s-watch" && packet(Self.named).name == "Anna's Watch"
        )
        #expect("\(packet(Self.named, from: fixedPublic).id)" == "aabbccddeeff")
        #expect("\(packet().id)" == "c123456789ab")
        #expect("\(packet(Self.iBeacon, keyName: "anna").id)" == "irk:anna")
    }

    @Test func `an id is reported once a period, with the median of its packets`() throws {
        var schedule = ReportSchedule(receiver: "kitchen")
        for (number, rssi) in [-70, -71, -90, -71, -72].enumerated() {
            schedule.record(packet(Self.iBeacon, rssi, at: Double(number) / 5))
        }
        #expect(schedule.removeDue(at: 0.9).isEmpty && schedule.dueAt == 1)
        let reports = schedule.removeDue(at: 1)
        let report = try #require(reports.first)
        #expect(reports.count == 1 && report.receiver == "kitchen" && report.rssi == -71)
        #expect(report.interval == 200 && report.powerAtOneMetre == -65)
        #expect(report.distance.map { (1.5...1.8).contains($0) } == true)
        // By the last packet, as nodes of ESPresense have it.
        #expect(report.raw.map { (1.8...1.9).contains($0) } == true, "\(report.raw ?? 0)")
        #expect(schedule.removeDue(at: 2).isEmpty && schedule.dueAt == nil)
        let (read, unusable) = try DeviceReport.decode(report.payload, id: report.id, receiver: "kitchen")
        #expect(read.rssi == -71 && unusable.isEmpty)
    }

    @Test func `addresses of nobody are published only if the owner wants it`() {
        for publishes in [false, true] {
            var schedule = ReportSchedule(receiver: "k", publishesStrangers: publishes)
            schedule.record(packet())
            schedule.record(packet(keyName: "anna"))
            #expect(
                schedule.removeDue(at: 1).map(\.id)
                    == (publishes ? ["c123456789ab", "irk:anna"] : ["irk:anna"])
            )
        }
        var schedule = ReportSchedule(receiver: "k", known: [.address(Self.fixed.bits)])
        schedule.record(packet())
        #expect(schedule.removeDue(at: 1).map(\.id) == ["c123456789ab"])
    }

    @Test func `an identity key never becomes a topic`() throws {
        var schedule = ReportSchedule(receiver: "k", publishesStrangers: true)
        var heard = packet()
        heard.id = .key(try IdentityKey(text: IdentityKeyTests.sample))
        schedule.record(heard)
        #expect(schedule.waiting == 0)
    }

    @Test func `ids of a period are bounded, and impossible packets do not count`() {
        var schedule = ReportSchedule(receiver: "k", publishesStrangers: true)
        for number in 0..<5000 {
            schedule.record(packet(from: DeviceAddress(bits: UInt64(number), isRandom: false)))
        }
        #expect(schedule.waiting == ReportSchedule.most && schedule.dropped == 5000 - ReportSchedule.most)
        schedule.record(packet([], 127))
        schedule.record(packet([], -70, at: .nan))
        #expect(schedule.packets == 5000)
        #expect(schedule.removeDue(at: 1).count == ReportSchedule.most)
        // A clock that is set back keeps nothing waiting.
        schedule.record(packet([], -70, at: 0))
        #expect(schedule.removeDue(at: 0).count == 1)
    }

    @Test func `arbitrary packets give an id that fits a topic`() {
        var fuzz = Fuzz(seed: 8, corpus: [Self.iBeacon, Self.named, [0x17, 0x16, 0xAA, 0xFE, 0]])
        for _ in 0..<Fuzz.count {
            let id = packet(fuzz.next()).id
            #expect("\(id)".utf8.allSatisfy { !"+#/".utf8.contains($0) && $0 > 0x20 })
        }
    }
}
