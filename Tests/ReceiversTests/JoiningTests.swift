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

    private static func sighting(_ receiver: String, rssi: Int = -70, at time: Double) -> ReceiverSighting {
        ReceiverSighting(receiver: receiver, rssi: rssi, powerAtOneMetre: -59, time: time)
    }

    @Test func `a report is a measurement of the thing that stands for the receiver`() throws {
        let map = Self.map(["kitchen", "hall"])
        var joiner = SightingJoiner(map: map)
        let joined = joiner.join(Self.sighting("hall", at: 1.2))
        let received = try #require(joined)
        #expect(map.beacon(received.identity)?.receiver == "hall")
        #expect(received.rssi == -70 && received.powerAtOneMetre == -59)
        let corrected = joiner.join(Self.sighting("hall", at: 1.3), correction: -14.6)
        #expect(corrected?.rssi == -55)
    }

    @Test(arguments: [
        (-100, 30.0, -110), (-20, -40, -1), (-70, .nan, -70), (-70, -1e300, -70), (127, 5, 127),
    ])
    func `a correction keeps a level possible`(_ rssi: Int, _ error: Double, _ corrected: Int) {
        var sighting = BeaconSighting(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 7),
            rssi: rssi,
            time: 1
        )
        sighting.correct(by: error)
        #expect(sighting.rssi == corrected)
    }

    @Test func `no receiver waits for another, and only what is too late is left out`() {
        var joiner = SightingJoiner(map: Self.map(["hall", "kitchen"]))
        func receive(_ receiver: String, _ time: Double) -> Bool {
            joiner.join(Self.sighting(receiver, at: time)) != nil
        }
        #expect(receive("kitchen", 100))
        #expect(receive("hall", 98.5) && !receive("hall", 97) && receive("hall", 100.5))
        #expect(joiner.ignored == 1)
        // The clock was set back.
        #expect(receive("hall", 5) && receive("kitchen", 6))
        #expect(!receive("hall", .nan) && !receive("hall", 1e300))
    }

    @Test func `unknown receivers are left out and named`() {
        var joiner = SightingJoiner(map: Self.map(["hall"]))
        for number in 0..<100 { #expect(joiner.join(Self.sighting("r\(number)", at: 1)) == nil) }
        #expect(joiner.unknownReceivers.count == 50 && joiner.ignored == 100)
    }

    /// Fixes of devices among four receivers, one of which is too deaf.
    private static func learn(_ errors: inout ReceiverErrors, truth: [String: Double], fixes: Int = 300) {
        var random = SplitMix64(seed: 1)
        let common = truth.values.reduce(0, +) / Double(truth.count)
        for _ in 0..<fixes {
            errors.learn(
                truth.sorted { $0.key < $1.key }.map { name, error in
                    let noise = Double(random.number(below: 11)) - 5
                    // The estimator's offset takes what all have in common.
                    let found = error - common + noise - errors.correction(of: name)
                    return ReceiverError(receiver: name, decibels: found)
                }
            )
        }
    }

    @Test func `a receiver that is 15 dB too deaf is found and corrected`() {
        var errors = ReceiverErrors()
        let truth = ["a": 0.0, "b": 0, "c": 0, "deaf": -15]
        Self.learn(&errors, truth: truth)
        #expect(abs(errors.correction(of: "deaf") - errors.correction(of: "a") + 15) < 2)
        // Together they shift nothing: that is the offset's.
        #expect(abs(truth.keys.reduce(0) { $0 + errors.correction(of: $1) }) < 0.01)
        // It is stored and restored.
        var again = ReceiverErrors()
        for (name, error) in errors.known { again.restore(name, error) }
        #expect(abs(again.correction(of: "deaf") - errors.correction(of: "deaf")) < 4)
    }

    @Test func `a wild fix moves an error little, and few receivers teach nothing`() {
        func fix(_ decibels: Double, _ names: [String]) -> [ReceiverError] {
            names.map { ReceiverError(receiver: $0, decibels: decibels) }
        }
        var errors = ReceiverErrors()
        let four = ["a", "b", "c", "d"]
        for _ in 0..<100 { errors.learn(fix(0, four)) }
        let rest = fix(0, ["b", "c", "d"])
        errors.learn(fix(90, ["a"]) + rest)
        errors.learn(fix(.nan, ["a"]) + rest)
        #expect(errors.correction(of: "a") < 0.2 && errors.correction(of: "a") > 0)
        for _ in 0..<100 { errors.learn(fix(20, ["x", "y", "z"])) }
        #expect(errors.correction(of: "x") == 0 && errors.known.keys.sorted() == four)
    }

    @Test func `errors are bounded, and those of receivers that are gone go`() {
        var errors = ReceiverErrors()
        for (name, error) in ["nan": Double.nan, "huge": 500, "a": 3] { errors.restore(name, error) }
        #expect(errors.known == ["a": 3])
        errors.restore("a", 7)
        #expect(errors.known == ["a": 3], "what is known stays")
        for _ in 0..<100 {
            errors.learn((0..<1000).map { ReceiverError(receiver: "r\($0)", decibels: 1000) })
        }
        #expect(errors.known.count <= ReceiverErrors.most)
        #expect(errors.known.values.allSatisfy { $0 <= ReceiverErrors.largest })
        errors.keep(["a"])
        #expect(errors.known == ["a": 3])
    }

    @Test func `a device that stands teaches once`() {
        var lessons = ReceiverLessons()
        let places = [(0.0, 0.0), (0.5, 0.3), (0.9, 0), (1.1, 0), (1.1, 0.9), (1.1, 1.2)]
        let due = places.map { lessons.isDue(at: Point3D(x: $0.0, y: $0.1)) }
        #expect(due == [true, false, false, true, false, true])
    }
}
