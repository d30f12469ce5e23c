import Controller
import Daemon
import Flare
import Glibc
import JSON
import Positioning
import Receivers
import Sensing
import Sensors
import Testing

/// The positions of further devices, from what receivers report of them.
struct DeviceEstimatesTests {
    /// A receiver in each of two rooms.
    private static func map() throws -> BeaconMap {
        var environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        environment.name = "Flat"
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.environment = environment.id
        zone.perimeter = Box(origin: Point3D(x: 0, y: 0, z: 0), width: 10, height: 4, depth: 3)
        let things = [("living", 1.0), ("kitchen", 9.0)].enumerated().map { index, receiver in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            (thing.zone, thing.environment) = (zone.id, environment.id)
            thing.position = Point3D(x: receiver.1, y: 2, z: 1)
            thing.data = ["receiver": .string(receiver.0)]
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }

    private static func list(_ devices: [(node: String, id: String)]) throws -> DeviceList {
        let entries = devices.enumerated().map {
            DeviceSettings(number: $0 + 1, node: $1.node, heardAs: [$1.id])
        }
        return try DeviceList(file: entries, first: "wall")
    }

    private func estimates(_ devices: [(node: String, id: String)]) throws -> DeviceEstimates {
        var estimates = DeviceEstimates(cipher: AESBlock.cipher) { CentroidEstimator(map: $0) }
        estimates.use(try Self.list(devices))
        estimates.enter(try Self.map())
        return estimates
    }

    private func report(_ id: String, _ receiver: String, _ rssi: Double) -> DeviceReport {
        DeviceReport(id: id, receiver: receiver, rssi: rssi, powerAtOneMetre: -59)
    }

    /// The last x of each node.
    private func positions(_ events: [DeviceEstimates.Estimate]) -> [String: Double] {
        events.reduce(into: [:]) { positions, estimate in
            guard case .positionEstimated(let position) = estimate.event else { return }
            positions[estimate.node] = position.position.x
        }
    }

    private func walk(_ estimates: inout DeviceEstimates, from start: Double = 0) -> [String: Double] {
        var events: [DeviceEstimates.Estimate] = []
        for step in 0..<12 {
            let now = start + Double(step) * 0.5
            events += estimates.record(report("phone:anna", "living", -50), at: now)
            events += estimates.record(report("phone:anna", "kitchen", -80), at: now)
            events += estimates.record(report("phone:bert", "living", -80), at: now)
            events += estimates.record(report("phone:bert", "kitchen", -50), at: now)
            events += estimates.record(report("phone:stranger", "kitchen", -50), at: now)
        }
        return positions(events)
    }

    @Test func `each device is near the receiver that hears it loudest, and nobody else has a position`()
        throws
    {
        var estimates = try estimates([("anna", "phone:anna"), ("bert", "phone:bert")])
        let places = walk(&estimates)
        #expect(places.keys.sorted() == ["anna", "bert"])
        #expect(try #require(places["anna"]) < 4)
        #expect(try #require(places["bert"]) > 6)
    }

    @Test func `a device that leaves the list is forgotten, and the others go on`() throws {
        var estimates = try estimates([("anna", "phone:anna"), ("bert", "phone:bert")])
        _ = walk(&estimates)
        estimates.use(try Self.list([("anna", "phone:anna")]))
        #expect(positions(estimates.tick(at: 8)).keys.sorted() == ["anna"])
        #expect(walk(&estimates, from: 8).keys.sorted() == ["anna"])
    }

    @Test func `reports do not count while the device's beacons are off`() throws {
        var estimates = try estimates([("anna", "phone:anna"), ("bert", "phone:bert")])
        estimates.setSwitch(of: "anna", on: false)
        #expect(walk(&estimates).keys.sorted() == ["bert"])
        estimates.setSwitch(of: "anna", on: true)
        #expect(walk(&estimates, from: 8).keys.sorted() == ["anna", "bert"])
    }

    @Test func `a device that nobody hears any more costs nothing`() throws {
        var estimates = try estimates([("anna", "phone:anna")])
        _ = walk(&estimates)
        #expect(estimates.isActive)
        _ = estimates.tick(at: 200)
        #expect(!estimates.isActive)
    }

    @Test func `a device that begins after others has the same position as one that was always alone`() throws
    {
        func place(_ nodes: [String]) throws -> [String: Double] {
            var estimates = DeviceEstimates(cipher: AESBlock.cipher) { GridEstimator(map: $0) }
            estimates.use(try Self.list(nodes.map { ($0, "phone:\($0)") }))
            estimates.enter(try Self.map())
            var events: [DeviceEstimates.Estimate] = []
            for (turn, node) in nodes.enumerated() {
                for second in 0..<6 {
                    let now = Double(turn * 10 + second) + 0.25
                    let (living, kitchen) = node == "anna" ? (-50.0, -80.0) : (-80, -50)
                    events += estimates.record(report("phone:\(node)", "living", living), at: now)
                    events += estimates.record(report("phone:\(node)", "kitchen", kitchen), at: now)
                }
            }
            return positions(events)
        }
        let both = try place(["bert", "anna"])
        let (bert, anna) = (try place(["bert"]), try place(["anna"]))
        #expect(both["bert"] == bert["bert"])
        #expect(both["anna"] == anna["anna"])
        #expect(both["anna"] != both["bert"])
    }

    @Test func `a survey in which receivers took part counts for devices that did not make it`() throws {
        let (map, channel) = (try Self.map(), SurveyChannel())
        let points = (0..<20).map { number in
            let place = Point3D(x: 0.4 + 0.48 * Double(number), y: Double(1 + number % 3), z: 1)
            let levels = map.beacons.map { beacon in
                let level = 5 - 22 * log10(max(beacon.position.distance(to: place), 0.5))
                return (beacon.thing, SurveyPoint.Level(decibels: level, packets: 20))
            }
            return SurveyPoint(
                name: "\(number)",
                environment: map.environment,
                position: place,
                levels: Dictionary(uniqueKeysWithValues: levels)
            )
        }
        let fitted = SurveyChannel.Fitted(map: try RadioMap(survey: points, map: map), takenAt: 7)
        var estimates = DeviceEstimates(cipher: AESBlock.cipher, survey: channel) { GridEstimator(map: $0) }
        estimates.use(try Self.list([("anna", "phone:anna"), ("bert", "phone:bert")]))
        estimates.enter(map)
        func models(_ device: String, from start: Double) -> [PositionModel?] {
            (0..<4).flatMap { second in
                estimates.record(report("phone:\(device)", "living", -50), at: start + Double(second))
            }.map { if case .positionEstimated(let found) = $0.event { found.model } else { nil } }
        }
        #expect(models("anna", from: 0.5) == [.plain, .plain, .plain])
        channel.use([:], others: fitted)
        // Both one that has an estimator already and one that begins.
        #expect(models("anna", from: 4.5) == Array(repeating: .survey(takenAt: 7), count: 4))
        #expect(models("bert", from: 8.5) == Array(repeating: .survey(takenAt: 7), count: 3))
        channel.use([:])
        #expect(models("bert", from: 12.5).last == .plain)
    }

    @Test(arguments: [(0.0, 0.5), (0.25, 0.25), (0.5, 1.0), (0.75, 0.75), (7.25, 0.25)])
    func `ticks come in the middle between two estimates`(now: Double, pause: Double) {
        #expect(DeviceEstimates.pause(at: now) == pause)
    }

    @Test func `an address that an identity key resolves is the device's`() throws {
        // Bluetooth Core, Vol 3 Part H, D.7: key, prand 708194 and hash 0dfbaa.
        var estimates = try estimates([("anna", "irk:ec0234a357c8ad05341010a60a397d9b")])
        var sighting = report("7081940dfbaa", "living", -50)
        sighting.address = 0x7081_940D_FBAA
        #expect(estimates.node(of: sighting, at: 1) == "anna")
        sighting.address = 0x7081_940D_FBAB
        #expect(estimates.node(of: sighting, at: 1) == nil)
    }
}
