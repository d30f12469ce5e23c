import Flare
import JSON
import Positioning
import Testing

@Suite struct CentroidEstimatorTests {
    private static let uuid = BeaconUUID(high: 0, low: 1)

    private static func map(_ places: [Point3D], power: Int? = nil) -> BeaconMap {
        let environment = FlareEnvironment(id: FlareID(high: 1, low: 0))
        var zone = FlareZone(id: FlareID(high: 2, low: 0))
        zone.data["major"] = 1
        let things = places.enumerated().map { index, place in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.zone = zone.id
            thing.position = place
            thing.data["minor"] = JSONValue(index)
            thing.data["power"] = power.map { JSONValue($0) }
            return thing
        }
        return BeaconMap(environment: environment, zones: [zone], things: things)
    }

    private static func sighting(_ minor: UInt16, _ rssi: Int, at time: Double, power: Int? = -59)
        -> BeaconSighting
    {
        BeaconSighting(
            identity: BeaconIdentity(uuid: uuid, major: 1, minor: minor),
            rssi: rssi,
            powerAtOneMetre: power,
            time: time
        )
    }

    private static let square = [
        Point3D(x: 0, y: 0, z: 2), Point3D(x: 4, y: 0, z: 2), Point3D(x: 0, y: 4, z: 1),
        Point3D(x: 4, y: 4, z: 1),
    ]

    @Test func `there is no estimate before the first sighting`() {
        var estimator = CentroidEstimator(map: Self.map(Self.square))
        #expect(estimator.estimate(at: 1) == nil)
        estimator.record(Self.sighting(9, -60, at: 1))
        #expect(estimator.estimate(at: 2) == nil)
    }

    @Test func `equally strong beacons put the device in their middle`() throws {
        var estimator = CentroidEstimator(map: Self.map(Self.square))
        for minor in 0..<4 { estimator.record(Self.sighting(UInt16(minor), -70, at: 0.5)) }
        let estimate = try #require(estimator.estimate(at: 1) as PositionEstimate?)
        #expect(estimate.position == Point3D(x: 2, y: 2, z: 1.5))
        #expect(estimate.beaconsHeard == 4)
        #expect(estimator.counted.count == 4)
        #expect(estimator.counted.values.allSatisfy { $0.rssi == -70 && $0.heardAt == 0.5 })
        #expect(estimate.quality == .good)
        #expect(estimate.accuracyMetres > 0)
    }

    @Test func `weights fall with the square of the distance`() throws {
        var estimator = CentroidEstimator(map: Self.map([.zero, Point3D(x: 10, y: 0)]))
        estimator.record(Self.sighting(0, -59, at: 0.1))
        estimator.record(Self.sighting(1, -70, at: 0.2))
        let near = try #require(AltBeaconCurve.distance(rssi: -59, powerAtOneMetre: -59))
        let far = try #require(AltBeaconCurve.distance(rssi: -70, powerAtOneMetre: -59))
        let x = 10 / (far * far) / (1 / (near * near) + 1 / (far * far))
        let estimate = try #require(estimator.estimate(at: 1) as PositionEstimate?)
        #expect(abs(estimate.position.x - x) <= 0.005)
        #expect(estimate.quality == .coarse)
    }

    @Test func `the packets of the last second are averaged`() throws {
        var once = CentroidEstimator(map: Self.map(Self.square))
        var thrice = once
        once.record(Self.sighting(0, -60, at: 1.5))
        once.record(Self.sighting(1, -70, at: 1.5))
        thrice.record(Self.sighting(0, -100, at: 0.99))
        for rssi in [-50, -60, -70] { thrice.record(Self.sighting(0, rssi, at: 1.2)) }
        thrice.record(Self.sighting(1, -70, at: 1.9))
        thrice.record(Self.sighting(1, -30, at: 2))
        #expect(once.estimate(at: 2)?.position == thrice.estimate(at: 2)?.position)
    }

    @Test func `the place's power precedes the beacon's and the default comes last`() throws {
        func x(_ own: Int?, _ said: Int?) throws -> Double {
            var estimator = CentroidEstimator(map: Self.map([.zero, Point3D(x: 10, y: 0)], power: own))
            estimator.record(Self.sighting(0, -60, at: 0.1, power: said))
            estimator.record(Self.sighting(1, -75, at: 0.2, power: said))
            return try #require(estimator.estimate(at: 1) as PositionEstimate?).position.x
        }
        #expect(try x(-70, -50) == x(-70, nil))
        #expect(try x(nil, -59) == x(nil, nil))
        #expect(try x(nil, -70) != x(nil, nil))
    }

    @Test func `silence holds the position, then lowers its quality, then loses it`() throws {
        var estimator = CentroidEstimator(map: Self.map(Self.square))
        for minor in 0..<3 { estimator.record(Self.sighting(UInt16(minor), -65, at: 0.5)) }
        let first = try #require(estimator.estimate(at: 1) as PositionEstimate?)
        var accuracies: [Double] = []
        var qualities: [PositionQuality] = []
        for second in 2...20 {
            let estimate = try #require(estimator.estimate(at: Double(second)) as PositionEstimate?)
            #expect(estimate.position == first.position)
            #expect(estimate.beaconsHeard == 0 && estimator.counted.isEmpty)
            #expect(estimate.time == Double(second))
            accuracies.append(estimate.accuracyMetres)
            qualities.append(estimate.quality)
        }
        #expect(qualities.prefix(4).allSatisfy { $0 == first.quality })
        #expect(accuracies.prefix(4).allSatisfy { $0 == first.accuracyMetres })
        #expect(qualities[4] == .coarse && qualities[13] == .coarse)
        #expect(accuracies[13] > accuracies[5])
        #expect(qualities.suffix(5).allSatisfy { $0 == .lost })
        estimator.record(Self.sighting(0, -60, at: 20.5))
        #expect(estimator.estimate(at: 21)?.quality == .coarse)
    }

    @Test(arguments: [1, 2, 4]) func `beacons at the same position as the device give a finite estimate`(
        _ count: Int
    )
        throws
    {
        var estimator = CentroidEstimator(
            map: Self.map(Array(repeating: Point3D(x: 1, y: 2, z: 3), count: count))
        )
        for minor in 0..<count { estimator.record(Self.sighting(UInt16(minor), -1, at: 0)) }
        let estimate = try #require(estimator.estimate(at: 1) as PositionEstimate?)
        #expect(estimate.position == Point3D(x: 1, y: 2, z: 3))
        #expect(estimate.accuracyMetres.isFinite && estimate.accuracyMetres > 0)
    }

    @Test func `a new map keeps the packets of the beacons that remain`() {
        var estimator = CentroidEstimator(map: Self.map(Self.square))
        estimator.record(Self.sighting(0, -60, at: 0.5))
        estimator.map = Self.map([Point3D(x: 7, y: 7, z: 7)])
        #expect(estimator.estimate(at: 1)?.position == Point3D(x: 7, y: 7, z: 7))
        estimator.map = Self.map([])
        estimator.record(Self.sighting(0, -60, at: 1.5))
        #expect(estimator.estimate(at: 2)?.beaconsHeard == 0)
    }

    @Test func `extreme numbers never trap and give finite positions`() {
        var generator = SeededGenerator(seed: 5)
        var estimator = CentroidEstimator(map: Self.map(Self.square + [Point3D(x: 1e308, y: -1e308)]))
        let times = [.nan, .infinity, -.infinity, -1e300, 0, 5, 1e300]
        for turn in 0..<5000 {
            let time = turn % 7 == 0 ? times[Int(generator.next() % 7)] : 100 * generator.unit()
            let rssi = Int(truncatingIfNeeded: generator.next()) >> Int(generator.next() % 64)
            let power = Int(truncatingIfNeeded: generator.next()) >> 56
            estimator.record(Self.sighting(UInt16(generator.next() % 6), rssi, at: time, power: power))
            if turn % 20 == 0, let estimate = estimator.estimate(at: time) {
                #expect(estimate.position.isFinite && estimate.accuracyMetres.isFinite)
            }
        }
    }
}
