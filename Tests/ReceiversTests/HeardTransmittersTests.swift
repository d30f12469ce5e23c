import Positioning
import Receivers
import SeededRandom
import Testing

@Suite struct HeardTransmittersTests {
    private var heard = HeardTransmitters()

    private mutating func record(
        _ id: String,
        _ rssi: Double,
        by receiver: String = "kitchen",
        at now: Double
    ) {
        heard.record(HeardID(reported: id), rssi: rssi, by: receiver, at: now)
    }

    @Test mutating func `nothing is recorded unless somebody looks, and it is forgotten ten minutes later`() {
        record("phone:anna", -60, at: 0)
        #expect(heard.count == 0 && heard.list(at: 1).isEmpty)
        record("phone:anna", -60, at: 2)
        #expect(heard.list(at: 3).map { "\($0.id)" } == ["phone:anna"])
        heard.expire(at: 602)
        #expect(heard.count == 1)
        heard.expire(at: 604)
        #expect(heard.count == 0 && !heard.isRecording(at: 604))
        record("phone:anna", -60, at: 605)
        #expect(heard.count == 0)
    }

    @Test mutating func `what changed most between two lists comes first`() {
        heard.open(at: 0)
        for second in 0..<20 {
            record("phone:still", -40, at: Double(second))
            record("phone:waved", -80, at: Double(second))
        }
        #expect(heard.list(at: 20).map { "\($0.id)" } == ["phone:still", "phone:waved"])
        for second in 20..<40 {
            record("phone:still", -41, at: Double(second))
            record("phone:waved", -50, at: Double(second))
        }
        let list = heard.list(at: 40)
        #expect(list.map { "\($0.id)" } == ["phone:waved", "phone:still"])
        #expect(list.first?.levels.first?.change.map { (25.0...31).contains($0) } == true)
        #expect(list.first?.since == 0)
    }

    @Test mutating func `a list shows the kind, the name, and the strength at each receiver`() {
        heard.open(at: 0)
        let random = DeviceAddress(bits: 0x4123_4567_89AB, isRandom: true)
        let fixed = DeviceAddress(bits: 0xC123_4567_89AB, isRandom: true)
        heard.record(.address(random.bits), address: random, rssi: -70, by: "k", at: 1)
        heard.record(.address(fixed.bits), address: fixed, rssi: -71, by: "k", at: 1)
        record("iBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-7", -72, at: 1)
        record("eddystone:00112233445566778899-aabbccddeeff", -73, at: 1)
        record("irk:anna", -74, at: 1)
        heard.record(.text("name:watch"), name: "Watch\u{1B}[0m", rssi: -75, by: "k", at: 1)
        heard.record(.text("name:watch"), rssi: -65, by: "hall", at: 1)
        let list = heard.list(at: 2)
        #expect(list.map(\.kind) == [.name, .changingAddress, .address, .iBeacon, .eddystone, .identityKey])
        #expect(list.map(\.canBeAdded) == [true, false, true, true, true, true])
        #expect(list.first?.levels.map(\.receiver) == ["hall", "k"])
        #expect(list.first?.name?.contains("\u{1B}") == false)
    }

    @Test mutating func `an adapter that hears an address as well says whether it stays`() {
        heard.open(at: 0)
        let bits: UInt64 = 0x4123_4567_89AB
        heard.record(.address(bits), bits: bits, rssi: -70, by: "hall", at: 1)
        #expect(heard.list(at: 1).map(\.mayChange) == [true])
        heard.record(
            .address(bits),
            address: DeviceAddress(bits: bits, isRandom: true),
            rssi: -70,
            by: "k",
            at: 2
        )
        #expect(heard.list(at: 2).map(\.mayChange) == [false])
        #expect(heard.list(at: 2).map(\.kind) == [.changingAddress])
        heard.record(.address(bits), bits: bits, rssi: -70, by: "hall", at: 3)
        #expect(heard.list(at: 3).map(\.kind) == [.changingAddress])
        let fixed = DeviceAddress(bits: bits + 1, isRandom: false)
        heard.record(.address(fixed.bits), address: fixed, rssi: -71, by: "k", at: 4)
        let last = heard.list(at: 4).last
        #expect(last?.kind == .address && last?.mayChange == false && last?.address == fixed.bits)
    }

    @Test mutating func `ten thousand strangers are the most, and those heard lately stay`() {
        heard.open(at: 0)
        for number in 0..<30_000 {
            record("name:s\(number)", -80, at: Double(number) / 1000)
            if number % 100 == 0 { record("phone:anna", -50, at: Double(number) / 1000) }
            #expect(heard.count <= HeardTransmitters.most)
        }
        #expect(heard.dropped > 15_000)
        let list = heard.list(at: 30)
        #expect(list.count == HeardTransmitters.longestList)
        #expect(list.first.map { "\($0.id)" } == "phone:anna" && list.first?.since == 0)
    }

    @Test mutating func `an id keeps its strongest receivers, and impossible levels do not count`() {
        heard.open(at: 0)
        for number in 0..<20 { record("phone:a", -90 + Double(number), by: "r\(number)", at: 1) }
        for level in [Double.nan, .infinity, 0, 20, -500] { record("phone:b", level, at: 1) }
        let list = heard.list(at: 2)
        #expect(list.count == 1 && list.first?.levels.count == HeardTransmitters.mostReceivers)
        #expect(list.first?.levels.first?.receiver == "r19")
    }
}
