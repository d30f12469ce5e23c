import Flare
import Positioning
import Testing

@Suite struct GridRobustnessTests {
    private static let places: [(String, [Point3D])] = [
        ("none", []), ("one", [Point3D(x: 1, y: 2, z: 3)]),
        ("two at one place", Array(repeating: Point3D(x: 1, y: 2, z: 3), count: 2)),
        ("eight at one place", Array(repeating: .zero, count: 8)),
        ("in a line", (0..<6).map { Point3D(x: Double($0) * 3, y: 0, z: 2) }),
        ("one where the device is", [.zero, Point3D(x: 5, y: 0), Point3D(x: 0, y: 5)]),
        ("one beyond everything", [.zero, Point3D(x: 1e308, y: -1e308), Point3D(x: 3, y: 3)]),
        ("far from each other", [.zero, Point3D(x: 9e5, y: 9e5), Point3D(x: 9e5, y: 0)]),
        ("a continent apart", [.zero, Point3D(x: 9e7, y: -9e7), Point3D(x: 3, y: 3)]),
        ("very high", [Point3D(x: 0, y: 0, z: 9e5), Point3D(x: 3, y: 0, z: -9e5)]),
    ]

    @Test(arguments: places) func `beacons anywhere give plausible positions`(
        _ name: String,
        _ places: [Point3D]
    )
        throws
    {
        let place = GridPlace(places)
        var estimator = GridEstimator(map: place.map)
        var estimates: [PositionEstimate] = []
        for second in 0..<30 {
            for beacon in places.indices {
                estimator.record(
                    GridPlace.sighting(beacon, [-1, -50, -110][second % 3], at: Double(second) + 0.5)
                )
            }
            if let estimate = estimator.estimate(at: Double(second) + 1) { estimates.append(estimate) }
        }
        #expect(estimates.isEmpty == places.isEmpty)
        for estimate in estimates {
            #expect(estimate.position.isFinite && estimate.accuracyMetres.isFinite)
            #expect(estimate.accuracyMetres > 0)
        }
        #expect(estimator.cells <= 40_000)
    }

    private static let perimeters: [Box?] = [
        nil, Box(origin: .zero, width: 0, height: 0), Box(origin: .zero, width: -5, height: 8),
        Box(origin: .zero, width: .nan, height: 8), Box(origin: Point3D(x: .nan, y: 0), width: 12, height: 8),
        Box(origin: .zero, width: 12, height: 8),
        Box(origin: Point3D(x: -5e5, y: -5e5), width: 1e6, height: 1e6),
        Box(origin: Point3D(x: -1e300, y: -1e300), width: 2e300, height: 2e300),
        Box(origin: Point3D(x: 500, y: 500), width: 10, height: 10),
        Box(origin: .zero, width: 300, height: 200),
        Box(origin: Point3D(x: -100, y: 0), width: 1e6, height: 8),
        Box(origin: .zero, width: .infinity, height: 8),
    ]

    @Test(arguments: perimeters) func `the device is found whatever the perimeter`(_ perimeter: Box?) throws {
        let places = GridPlace.hall.map.beacons.map(\.position)
        let place = GridPlace(places, perimeter: perimeter)
        let spot = Point3D(x: 4, y: 5, z: 0.9)
        var estimator = GridEstimator(map: place.map)
        #expect((100...40_000).contains(estimator.cells))
        let estimates = place.stand(at: spot, from: 0, seconds: 10, &estimator)
        #expect(try #require(estimates.last).position.plane(to: spot) < 1.5)
    }

    @Test(arguments: [(691_600.0, 5_334_000.0), (32_691_600, 5_334_000), (-20_000_000, 20_000_000)])
    func `a plan in the coordinates of a land survey is as exact as one from its own corner`(
        east: Double,
        north: Double
    ) throws {
        func estimate(_ east: Double, _ north: Double) throws -> PositionEstimate {
            func moved(_ point: Point3D) -> Point3D {
                Point3D(x: point.x + east, y: point.y + north, z: point.z)
            }
            let beacons = GridPlace.hall.map.beacons.map { moved($0.position) }
            let place = GridPlace(
                beacons,
                perimeter: Box(origin: Point3D(x: east, y: north), width: 12, height: 8)
            )
            var estimator = GridEstimator(map: place.map)
            let spot = moved(Point3D(x: 4, y: 5, z: 0.9))
            return try #require(place.stand(at: spot, from: 0, seconds: 10, &estimator).last)
        }
        let (near, far) = (try estimate(0, 0), try estimate(east, north))
        let moved = Point3D(x: far.position.x - east, y: far.position.y - north, z: far.position.z)
        #expect(moved.distance(to: near.position) < 0.001)
        #expect(abs(far.accuracyMetres - near.accuracyMetres) < 0.001)
    }

    @Test func `a perimeter narrower than a cell is a line`() throws {
        let line = Box(origin: Point3D(x: 0, y: 3.9), width: 12, height: 0.2)
        let places = (0..<5).map { Point3D(x: Double($0) * 3, y: 4, z: 2) }
        let place = GridPlace(places, perimeter: line)
        var estimator = GridEstimator(map: place.map)
        #expect(estimator.cells == 24)
        let estimates = place.stand(at: Point3D(x: 7, y: 4, z: 1), from: 0, seconds: 10, &estimator)
        let last = try #require(estimates.last).position
        #expect(abs(last.y - 4) < 0.01 && abs(last.x - 7) < 1)
    }

    @Test func `of very many beacons the strongest are used`() throws {
        let places = (0..<400).map { Point3D(x: Double($0 % 20) * 3, y: Double($0 / 20) * 3, z: 2.5) }
        let place = GridPlace(places)
        var estimator = GridEstimator(map: place.map)
        let walk = [
            Point3D(x: 10, y: 10, z: 1.1), Point3D(x: 50, y: 50, z: 1.1), Point3D(x: 10, y: 50, z: 1.1),
        ]
        for (turn, spot) in walk.enumerated() {
            let estimates = place.stand(at: spot, from: Double(turn) * 8, seconds: 8, &estimator)
            #expect(try #require(estimates.last).position.plane(to: spot) < 1)
            #expect(estimates.last?.beaconsHeard == 64)
        }
    }

    @Test func `impossible packets are ignored`() {
        var (clean, dirty) = (GridEstimator(map: GridPlace.hall.map), GridEstimator(map: GridPlace.hall.map))
        for second in 0..<10 {
            let time = Double(second) + 0.5
            for beacon in 0..<4 {
                let sighting = GridPlace.sighting(beacon, -60 - 3 * beacon, at: time)
                clean.record(sighting)
                dirty.record(sighting)
                for rssi in [127, 42, 0, 20, -111, -127, .max, .min] {
                    dirty.record(GridPlace.sighting(beacon, rssi, at: time + 0.1))
                }
                for time in [Double.nan, .infinity, -.infinity] {
                    dirty.record(GridPlace.sighting(beacon, -30, at: time))
                }
            }
            #expect(clean.estimate(at: time + 0.5) == dirty.estimate(at: time + 0.5))
        }
    }

    @Test func `extreme numbers never trap and give plausible positions`() {
        var generator = SeededGenerator(seed: 5)
        let places = GridPlace.hall.map.beacons.map(\.position) + [Point3D(x: 1e308, y: -1e308)]
        var estimator = GridEstimator(map: GridPlace(places, power: nil).map)
        let times = [.nan, .infinity, -.infinity, -1e300, 0, 5, 1e300]
        for turn in 0..<4000 {
            let time = turn % 7 == 0 ? times[Int(generator.next() % 7)] : 100 * generator.unit()
            let rssi = Int(truncatingIfNeeded: generator.next()) >> Int(generator.next() % 64)
            let power = Int(truncatingIfNeeded: generator.next()) >> 56
            estimator.record(GridPlace.sighting(Int(generator.next() % 9), rssi, at: time, power: power))
            if turn % 20 == 0, let estimate = estimator.estimate(at: time) {
                #expect(estimate.position.isFinite && estimate.accuracyMetres.isFinite)
            }
            if turn % 500 == 499 {
                estimator.offsets.device = Double(turn)
                for constant in GridEstimator.Constant.allCases where generator.unit() < 0.3 {
                    var settings = GridEstimator.Settings()
                    settings[constant] = generator.unit() < 0.5 ? -.infinity : .infinity
                    estimator = GridEstimator(map: estimator.map, settings: settings)
                }
            }
        }
    }

    @Test(arguments: GridEstimator.Constant.allCases)
    func `a constant at either end of its range gives plausible positions`(
        _ constant: GridEstimator.Constant
    ) {
        for end in [constant.range.lowerBound, constant.range.upperBound] {
            var settings = GridEstimator.Settings()
            settings[constant] = end
            var estimator = GridEstimator(map: GridPlace.hall.map, settings: settings)
            let spot = Point3D(x: 4, y: 5, z: 0.9)
            for estimate in GridPlace.hall.stand(at: spot, from: 0, seconds: 10, &estimator) {
                #expect(estimate.position.isFinite && estimate.accuracyMetres.isFinite)
                #expect(estimate.accuracyMetres > 0)
            }
        }
    }

    @Test func `the position does not move while the device stands`() {
        let office = SimulatedOffice()
        let route = WalkRoute(
            wayPoints: [.init(Point3D(x: 11, y: 4, z: 1.1), staySeconds: 120)],
            isClosed: false
        )
        let heard = office.sightings(route, seed: 3)
        var tracker = PositionTracker(estimator: GridEstimator(map: office.map))
        let positions = heard.flatMap { tracker.record($0) }.filter { $0.time >= 30 }.map(\.position)
        let (x, y) = (positions.map(\.x), positions.map(\.y))
        #expect(positions.count > 80)
        #expect((x.variance + y.variance).squareRoot() < 0.3)
    }

    @Test func `one outlier in ten packets costs less than a decimetre`() {
        let office = SimulatedOffice()
        var (before, after) = (Score(), Score())
        for seed in UInt64(1)...4 {
            let walk = office.route(seed: seed, stops: 5)
            let clean = office.sightings(walk, seed: seed)
            var generator = SeededGenerator(seed: seed)
            let wild = clean.map { sighting in
                var sighting = sighting
                if generator.unit() < 0.1 { sighting.rssi = -95 + Int(50 * generator.unit()) }
                return sighting
            }
            before += office.score(clean, on: walk, GridEstimator(map: office.map))
            after += office.score(wild, on: walk, GridEstimator(map: office.map))
        }
        #expect(after.figures.median < before.figures.median + 0.1)
    }
}

extension [Double] {
    fileprivate var variance: Double {
        let mean = reduce(0, +) / Double(count)
        return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
    }
}
