import Flare
import Positioning
import Testing

@Suite struct GridEstimatorTests {
    private let hall = GridPlace.hall
    private let spot = Point3D(x: 4, y: 5, z: 0.9)

    @Test func `there is no estimate before the first sighting`() {
        var estimator = GridEstimator(map: hall.map)
        #expect(estimator.estimate(at: 1) == nil)
        estimator.record(GridPlace.sighting(99, -60, at: 1))
        #expect(estimator.estimate(at: 2) == nil)
        #expect(estimator.offsets.device == nil)
    }

    @Test func `the position is found in a few seconds and kept`() throws {
        var estimator = GridEstimator(map: hall.map)
        let estimates = hall.stand(at: spot, from: 0, seconds: 30, &estimator)
        let last = try #require(estimates.last)
        for estimate in estimates.dropFirst(4) {
            #expect(estimate.position.plane(to: spot) < 1)
            #expect(estimate.quality == .good)
            #expect(estimate.beaconsHeard == 6)
        }
        #expect(last.position.plane(to: spot) < 0.5)
        #expect((0.5...3).contains(last.accuracyMetres))
    }

    @Test(arguments: [-15.0, -8, 8]) func `a receiver's constant error is estimated within 30 s`(
        _ offset: Double
    )
        throws
    {
        var estimator = GridEstimator(map: hall.map)
        let estimates = hall.stand(at: spot, from: 0, seconds: 30, &estimator) { $1 + offset }
        #expect(abs(try #require(estimator.offsets.device) - offset) < 2)
        #expect(try #require(estimates.last).position.plane(to: spot) < 1)
    }

    @Test func `a stored receiver error speeds up the next start`() throws {
        var first = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 60, &first) { $1 - 12 }
        let kept = try #require(first.offsets.device)
        var (known, new) = (GridEstimator(map: hall.map), GridEstimator(map: hall.map))
        known.offsets.device = kept
        #expect(known.offsets.device == kept)
        let corner = Point3D(x: 11, y: 7, z: 0.9)
        let early = hall.stand(at: corner, from: 0, seconds: 3, &known) { $1 - 12 }
        let late = hall.stand(at: corner, from: 0, seconds: 3, &new) { $1 - 12 }
        #expect(
            try #require(early.first).position.plane(to: corner)
                <= #require(late.first).position.plane(to: corner)
        )
        known.offsets.device = nil
        #expect(known.offsets.device == nil)
        known.offsets.device = .nan
        #expect(known.offsets.device == nil)
    }

    @Test func `the place's power precedes the beacon's and an implausible one is ignored`() throws {
        func x(_ own: Double?, _ said: Int?) throws -> Double {
            let place = GridPlace([.zero, Point3D(x: 10, y: 0), Point3D(x: 5, y: 8)], power: own)
            var estimator = GridEstimator(map: place.map)
            for second in 0..<5 {
                estimator.record(GridPlace.sighting(0, -60, at: Double(second), power: said))
                estimator.record(GridPlace.sighting(1, -75, at: Double(second)))
                _ = estimator.estimate(at: Double(second) + 0.5)
            }
            return try #require(estimator.estimate(at: 5) as PositionEstimate?).position.x
        }
        #expect(try x(-65, -50) == x(-65, nil))
        #expect(try x(nil, -59) == x(nil, nil))
        #expect(try x(nil, -75) != x(nil, nil))
        for absurd in [-1, 0, 20, 127, -127] { #expect(try x(nil, absurd) == x(nil, nil)) }
    }

    @Test func `a new map keeps the sightings and the position`() throws {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 20, &estimator)
        var untouched = estimator
        let louder = BeaconMap(
            beacons: hall.map.beacons.map { beacon in
                BeaconMap.Beacon(
                    thing: beacon.thing,
                    name: "\(beacon.name)!",
                    position: beacon.position,
                    major: beacon.major,
                    minor: beacon.minor,
                    powerAtOneMetre: beacon.powerAtOneMetre
                )
            },
            perimeter: nil
        )
        estimator.map = louder
        #expect(estimator.estimate(at: 21) == untouched.estimate(at: 21))
    }

    @Test func `a map of another environment starts over and one without beacons loses the device`() throws {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 20, &estimator)
        let other = GridPlace([Point3D(x: 100, y: 100, z: 2), Point3D(x: 106, y: 100, z: 2)])
        estimator.map = other.map
        let there = other.stand(at: Point3D(x: 100, y: 100, z: 1), from: 20, seconds: 2, &estimator)
        #expect(try #require(there.last).position.x > 98)
        estimator.map = GridPlace([]).map
        #expect(estimator.estimate(at: 25)?.quality == .coarse)
        #expect(estimator.estimate(at: 45)?.quality == .lost)
        estimator.map = hall.map
        #expect(try #require(hall.stand(at: spot, from: 45, seconds: 5, &estimator).last).position.x < 12)
    }

    @Test func `the height comes from the configuration, the floor or the beacons`() throws {
        var settings = GridEstimator.Settings()
        settings.deviceZ = 0.4
        var fixed = GridEstimator(map: hall.map, settings: settings)
        #expect(hall.stand(at: spot, from: 0, seconds: 2, &fixed).last?.position.z == 0.4)
        var free = GridEstimator(map: hall.map)
        #expect(hall.stand(at: spot, from: 0, seconds: 2, &free).last?.position.z == 2)
        let office = SimulatedOffice()
        var known = GridEstimator(map: office.map)
        let identity = BeaconIdentity(uuid: SimulatedOffice.uuid, major: 1, minor: 1)
        known.record(BeaconSighting(identity: identity, rssi: -60, time: 0.5))
        #expect(known.estimate(at: 1)?.position.z == 1.1)
    }

    @Test func `estimates at other intervals are as accurate`() throws {
        var (often, seldom) = (GridEstimator(map: hall.map), GridEstimator(map: hall.map))
        for tick in 1...80 {
            let time = Double(tick) * 0.25
            for beacon in hall.map.beacons.indices {
                let sighting = GridPlace.sighting(
                    beacon,
                    Int(hall.level(beacon, at: spot).rounded()),
                    at: time - 0.1
                )
                often.record(sighting)
                seldom.record(sighting)
            }
            _ = often.estimate(at: time)
            if tick % 12 == 0 { _ = seldom.estimate(at: time) }
        }
        let (one, two) = (
            try #require(often.estimate(at: 20.25) as PositionEstimate?),
            try #require(seldom.estimate(at: 20.25) as PositionEstimate?)
        )
        #expect(one.position.plane(to: two.position) < 0.3)
        #expect(abs(one.accuracyMetres - two.accuracyMetres) < 0.5)
    }
}

extension Point3D {
    /// Metres in the plane.
    func plane(to other: Point3D) -> Double {
        Point3D(x: x, y: y).distance(to: Point3D(x: other.x, y: other.y))
    }
}
