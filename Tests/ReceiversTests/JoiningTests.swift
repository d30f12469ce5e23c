import Flare
import JSON
import Positioning
import Receivers
import SeededRandom
import Testing

@Suite struct JoiningTests {
    private static func map(_ receivers: [String]) -> BeaconMap {
        let environment = FlareEnvironment(id: FlareID(high: 0, low: 1))
        var zone = FlareZone(id: FlareID(high: 0, low: 2))
        zone.data["major"] = 1
        var beacon = FlareThing(id: FlareID(high: 0, low: 3))
        beacon.name = "Beacon"
        beacon.zone = zone.id
        beacon.position = Point3D(x: 0, y: 0, z: 1)
        beacon.data["minor"] = 7
        let things = receivers.enumerated().map { number, name in
            var thing = FlareThing(id: FlareID(high: 1, low: UInt32(number)))
            thing.name = name
            thing.position = Point3D(x: Double(number), y: 4, z: 1)
            thing.data["receiver"] = .string(name)
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: [beacon] + things)
    }

    private static func beacon(at time: Double) -> BeaconSighting {
        BeaconSighting(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 7),
            rssi: -60,
            time: time
        )
    }

    @Test func `beacons and receivers are measurements of one device, each of its source`() throws {
        let map = Self.map(["kitchen", "hall"])
        var joiner = SightingJoiner(map: map)
        let first = joiner.join(Self.beacon(at: 1))
        let heard = try #require(first)
        #expect(heard.source == .device && map.beacon(heard.sighting.identity)?.name == "Beacon")
        let sighting = ReceiverSighting(receiver: "hall", rssi: -70, powerAtOneMetre: -59, time: 1.2)
        let second = joiner.join(sighting, ReceiverErrors())
        let received = try #require(second)
        #expect(received.source == .receivers && map.beacon(received.sighting.identity)?.receiver == "hall")
        #expect(received.sighting.rssi == -70 && received.sighting.powerAtOneMetre == -59)
    }

    @Test func `neither source waits for the other, and only what is too late is left out`() {
        var joiner = SightingJoiner(map: Self.map(["hall"]))
        let errors = ReceiverErrors()
        func receive(_ time: Double) -> Bool {
            joiner.join(ReceiverSighting(receiver: "hall", rssi: -70, time: time), errors) != nil
        }
        #expect(joiner.join(Self.beacon(at: 100)) != nil)
        #expect(receive(98.5) && !receive(97) && receive(100.5))
        #expect(joiner.ignored == 1)
        // The clock was set back.
        #expect(receive(5) && joiner.join(Self.beacon(at: 6)) != nil)
        #expect(!receive(.nan) && !receive(1e300))
    }

    @Test func `unknown receivers and beacons are left out and named`() {
        var joiner = SightingJoiner(map: Self.map(["hall"]))
        var other = Self.beacon(at: 1)
        other.identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 8)
        #expect(joiner.join(other) == nil)
        for number in 0..<100 {
            let sighting = ReceiverSighting(receiver: "r\(number)", rssi: -70, time: 1)
            #expect(joiner.join(sighting, ReceiverErrors()) == nil)
        }
        #expect(joiner.unknownReceivers.count == 50 && joiner.ignored == 101)
    }

    @Test func `a receiver that is 15 dB too deaf is found and corrected, whatever power the devices have`() {
        var errors = ReceiverErrors()
        var random = SplitMix64(seed: 1)
        let truth = ["a": 0.0, "b": 0, "c": 0, "deaf": -15]
        for _ in 0..<300 {
            // Each device has a power of its own, which is its estimator's offset, as far as that knows.
            let power = Double(random.number(below: 20)) - 10
            let common = truth.values.reduce(0, +) / 4
            for (name, error) in truth.sorted(by: { $0.key < $1.key }) {
                let noise = Double(random.number(below: 11)) - 5
                errors.learn(name, residual: power + error + noise, offset: power + common, others: 3)
            }
        }
        #expect(abs(errors.correction(of: "deaf") - errors.correction(of: "a") + 15) < 2)
        // Together they shift nothing: that is the offset's.
        #expect(abs(truth.keys.reduce(0) { $0 + errors.correction(of: $1) }) < 0.01)
        var joiner = SightingJoiner(map: Self.map(["deaf"]))
        let sighting = ReceiverSighting(receiver: "deaf", rssi: -80, time: 1)
        #expect(joiner.join(sighting, errors).map { (-71 ... -67).contains($0.sighting.rssi) } == true)
        // It is stored and restored.
        let again = ReceiverErrors(stored: errors.known)
        #expect(abs(again.correction(of: "deaf") - errors.correction(of: "deaf")) < 4)
    }

    @Test func `a wild fix moves an error little, and few receivers teach nothing`() {
        var errors = ReceiverErrors()
        for _ in 0..<100 { for name in ["a", "b"] { errors.learn(name, residual: 1, offset: 0, others: 3) } }
        errors.learn("a", residual: 90, offset: 0, others: 3)
        errors.learn("a", residual: .nan, offset: 0, others: 3)
        #expect(errors.correction(of: "a") < 0.2)
        errors.learn("alone", residual: 20, offset: 0, others: 2)
        #expect(errors.correction(of: "alone") == 0 && errors.known.keys.sorted() == ["a", "b"])
    }

    @Test func `errors are bounded, and those of receivers that are gone go`() {
        var errors = ReceiverErrors(stored: ["nan": .nan, "huge": 500, "a": 3])
        #expect(errors.known == ["a": 3])
        for number in 0..<1000 { errors.learn("r\(number)", residual: 1, offset: 0, others: 5) }
        errors.keep(["a"])
        #expect(errors.known == ["a": 3])
        for _ in 0..<1000 { errors.learn("a", residual: 1000, offset: 0, others: 5) }
        #expect((errors.known["a"] ?? 99) <= ReceiverErrors.largest)
    }
}
