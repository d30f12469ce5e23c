import Flare
import JSON
import Positioning
import Testing

@Suite struct BeaconMapTests {
    private let uuid = BeaconUUID(high: 1, low: 2)
    private let other = BeaconUUID(high: 1, low: 3)

    private func place(
        uuid: JSONValue? = "00000000-0000-0001-0000-000000000002",
        major: JSONValue? = 7,
        _ things: [JSONObject]
    ) -> BeaconMap {
        var environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        environment.data["uuid"] = uuid
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = major
        return BeaconMap(
            environment: environment,
            zones: [zone],
            things: things.enumerated().map { index, data in
                var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
                thing.name = "T\(index)"
                thing.zone = zone.id
                thing.position = Point3D(x: Double(index), y: 0)
                thing.data = data
                return thing
            }
        )
    }

    @Test func `a sighting leads to its thing`() {
        let map = place([["minor": 1], ["minor": 2, "power": -65]])
        let beacon = map.beacon(BeaconIdentity(uuid: uuid, major: 7, minor: 2))
        #expect(beacon?.thing == FlareID(high: 3, low: 1))
        #expect(beacon?.position == Point3D(x: 1, y: 0))
        #expect(beacon?.powerAtOneMetre == -65)
        #expect(map.beacon(BeaconIdentity(uuid: uuid, major: 7, minor: 3)) == nil)
        #expect(map.beacon(BeaconIdentity(uuid: uuid, major: 8, minor: 2)) == nil)
        #expect(map.beacon(BeaconIdentity(uuid: other, major: 7, minor: 2)) == nil)
        #expect(map.problems.isEmpty)
    }

    @Test func `major and minor may be numeric text`() {
        let map = place(major: "7", [["minor": "65535", "power": "-70"]])
        #expect(map.beacon(BeaconIdentity(uuid: uuid, major: 7, minor: 65535))?.powerAtOneMetre == -70)
    }

    @Test func `without a uuid beacons of every uuid are accepted`() {
        let map = place(uuid: nil, [["minor": 1]])
        #expect(map.beacon(BeaconIdentity(uuid: other, major: 7, minor: 1)) != nil)
        #expect(map.problems.isEmpty)
    }

    @Test func `an invalid uuid is a problem and beacons of every uuid are accepted`() {
        let map = place(uuid: "nonsense", [["minor": 1]])
        #expect(map.beacon(BeaconIdentity(uuid: other, major: 7, minor: 1)) != nil)
        #expect(map.problems.count == 1)
        #expect(map.problems.first?.contains("32 hexadecimal digits") == true)
    }

    @Test func `an Eddystone namespace matches the uuid that it abbreviates`() throws {
        let map = place([["minor": 1]])
        let namespace = try #require(EddystoneNamespace("00000000000000000002"))
        let foreign = try #require(EddystoneNamespace("00000000000000000003"))
        #expect(map.beacon(BeaconIdentity(group: .namespace(namespace), major: 7, minor: 1)) != nil)
        #expect(map.beacon(BeaconIdentity(group: .namespace(foreign), major: 7, minor: 1)) == nil)
    }

    @Test(arguments: [-1, 65536, 1.5, "x", true, [], 1e300] as [JSONValue])
    func `a minor that is not a 16-bit number is a problem`(_ minor: JSONValue) {
        let map = place([["minor": minor], ["minor": 2]])
        #expect(map.beacons.map(\.minor) == [2])
        #expect(map.problems.count == 1)
        #expect(map.problems.first?.contains("from 0 to 65535") == true)
    }

    @Test func `the first of two beacons with the same numbers is used`() {
        let map = place([["minor": 1], ["minor": 1]])
        #expect(map.beacons.map(\.name) == ["T0"])
        #expect(map.problems.first?.contains("T0") == true)
    }

    @Test(arguments: [0, 5, -128, "loud"] as [JSONValue])
    func `an impossible power is a problem and the beacon is kept`(_ power: JSONValue) {
        let map = place([["minor": 1, "power": power]])
        #expect(map.beacons.map(\.powerAtOneMetre) == [nil])
        #expect(map.problems.count == 1)
    }

    @Test func `a read-only power is not the beacon's power`() {
        let map = place([["minor": 1, "power": 12, "readonly": ["power"]]])
        #expect(map.beacons.map(\.powerAtOneMetre) == [nil])
        #expect(map.problems.isEmpty)
    }

    @Test func `the power of a socket is not the beacon's power`() {
        let map = place([["minor": 1, "power": 3.5, "profile": "socket"]])
        #expect(map.beacons.map(\.powerAtOneMetre) == [nil])
        #expect(map.problems.isEmpty)
    }

    @Test func `a zone without a major is a problem only for its beacons`() {
        let map = place(major: nil, [["minor": 1], ["color": "red"]])
        #expect(map.beacons.isEmpty)
        #expect(map.problems.count == 1)
    }

    @Test func `things of other environments and things without a position are left out`() {
        let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        var elsewhere = FlareThing(id: FlareID(high: 3, low: 0))
        elsewhere.environment = FlareID(high: 9, low: 9)
        elsewhere.zone = zone.id
        elsewhere.data["minor"] = 1
        var nowhere = elsewhere
        nowhere.environment = environment.id
        let map = BeaconMap(environment: environment, zones: [zone], things: [elsewhere, nowhere])
        #expect(map.beacons.isEmpty)
        #expect(map.problems.count == 1)
    }

    @Test func `a receiver of the place counts as a beacon whatever its zone`() throws {
        let map = place([["minor": 1], ["receiver": "kitchen", "power": -62], ["receiver": "hall"]])
        #expect(map.problems.isEmpty && map.receiverNames == ["hall", "kitchen"])
        let sighting = try #require(
            map.sighting(ReceiverSighting(receiver: "kitchen", rssi: -70, powerAtOneMetre: -60, time: 3))
        )
        let beacon = try #require(map.beacon(sighting.identity))
        #expect(beacon.thing == FlareID(high: 3, low: 1) && beacon.receiver == "kitchen")
        #expect(beacon.powerAtOneMetre == -62 && beacon.position.x == 1)
        #expect(sighting.rssi == -70 && sighting.powerAtOneMetre == -60 && sighting.time == 3)
        #expect(map.sighting(ReceiverSighting(receiver: "Kitchen", rssi: -70, time: 3)) == nil)
        // No packet can be mistaken for a receiver.
        #expect(map.beacon(BeaconIdentity(uuid: uuid, major: 0, minor: 1)) == nil)
    }

    @Test(
        arguments: [
            (["receiver": ""], "name of 1 to 64 bytes"), (["receiver": 5], "name of 1 to 64 bytes"),
            (["receiver": "hall"], "same receiver hall as T0"),
            (["receiver": "attic", "minor": 1], "only the receiver is used"),
        ] as [(JSONObject, String)]
    )
    func `an unusable receiver is a problem`(_ data: JSONObject, _ problem: String) {
        let map = place([["receiver": "hall"], data])
        #expect(map.problems.count == 1 && map.problems.first?.contains(problem) == true)
    }

    @Test func `receivers that detect the device locate it like beacons that the device detects`() {
        func estimates(_ data: [JSONObject], _ hear: (Int, BeaconMap) -> BeaconSighting?)
            -> [PositionEstimate]
        {
            let map = place(data)
            var tracker = PositionTracker(estimator: GridEstimator(map: map))
            var estimates: [PositionEstimate] = []
            for step in 0..<200 {
                if var sighting = hear(step, map) {
                    sighting.time = Double(step) / 10
                    estimates += tracker.record(sighting)
                }
            }
            return estimates
        }
        let levels = [-60, -70, -80]
        let heard = estimates((0..<3).map { ["minor": .number(Double($0))] }) { step, _ in
            let identity = BeaconIdentity(uuid: uuid, major: 7, minor: UInt16(step % 3))
            return BeaconSighting(identity: identity, rssi: levels[step % 3], powerAtOneMetre: -59, time: 0)
        }
        let hearing = estimates((0..<3).map { ["receiver": .string("r\($0)")] }) { step, map in
            map.sighting(
                ReceiverSighting(
                    receiver: "r\(step % 3)",
                    rssi: levels[step % 3],
                    powerAtOneMetre: -59,
                    time: 0
                )
            )
        }
        #expect(heard == hearing && heard.count == 19)
    }
}
