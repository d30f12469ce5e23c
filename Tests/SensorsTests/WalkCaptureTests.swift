import Flare
import Foundation
import JSON
import Positioning
import Sensors
import TestSupport
import Testing

@Suite struct WalkCaptureTests {
    private let flat = SmallFlat()

    private func walk(seed: UInt64) throws -> [UInt8] {
        try WalkCapture.demoWalk(
            environment: flat.environment,
            zones: flat.zones,
            things: flat.things,
            seed: seed
        )
    }

    enum Method: CaseIterable {
        case grid, centroid

        func estimator(_ map: BeaconMap) -> any PositionEstimator {
            switch self {
            case .grid: GridEstimator(map: map)
            case .centroid: CentroidEstimator(map: map)
            }
        }
    }

    /// The complete pipeline of the demo: capture, parser, map, estimator, once a second.
    private func estimates(seed: UInt64, _ method: Method) throws -> [PositionEstimate] {
        try estimates(.bytes(try walk(seed: seed), name: "walk"), method)
    }

    private func estimates(_ origin: RecordingOrigin, _ method: Method) throws -> [PositionEstimate] {
        let map = BeaconMap(environment: flat.environment, zones: flat.zones, things: flat.things)
        var tracker = PositionTracker(estimator: method.estimator(map))
        var recording = try Recording(origin)
        var estimates: [PositionEstimate] = []
        while let reading = try recording.next() {
            if case .beacon(let sighting) = reading { estimates += tracker.record(sighting) }
        }
        #expect(recording.problems.isEmpty)
        return estimates
    }

    private struct Stay {
        let thing: FlareThing?
        let from: Double
        var seconds: Int
    }

    /// The nearest thing within the environment's distance at each estimate, as stretches of time.
    private func stays(_ estimates: [PositionEstimate]) throws -> [Stay] {
        let limit = try #require(flat.environment.data["distance"]?.number)
        var stays: [Stay] = []
        for estimate in estimates {
            let near = flat.things.compactMap { thing in
                thing.position.map { (thing: thing, metres: $0.distance(to: estimate.position)) }
            }.min { $0.metres < $1.metres }.flatMap { $0.metres < limit ? $0.thing : nil }
            if let last = stays.indices.last, stays[last].thing?.id == near?.id {
                stays[last].seconds += 1
            } else {
                stays.append(Stay(thing: near, from: estimate.time, seconds: 1))
            }
        }
        return stays
    }

    @Test(arguments: Method.allCases)
    func `each lamp is nearby for ten seconds and the first within twenty`(_ method: Method) throws {
        var flickering = 0
        for seed in UInt64(1)...12 {
            let estimates = try estimates(seed: seed, method)
            let lamps = try stays(estimates).filter { $0.thing?.data["on"] != nil }
            let long = lamps.filter { $0.seconds >= 10 }
            #expect(Set(long.compactMap(\.thing?.id)) == Set(flat.lamps.map(\.id)), "seed \(seed)")
            #expect((long.first?.from ?? 99) <= 20, "seed \(seed)")
            if long.count < lamps.count { flickering += 1 }
        }
        #expect(flickering <= 1)
    }

    @Test func `the walk reaches the first lamp within eight seconds and ends where it began`() throws {
        let route = WalkCapture.demoRoute(
            environment: flat.environment,
            zones: flat.zones,
            things: flat.things
        )
        let first = try #require(flat.lamps.first?.position)
        let pose = try #require(route.pose(at: 8))
        #expect(Point3D(x: first.x, y: first.y, z: 1.1).distance(to: pose.position) <= 0.5)
        let (start, end) = (
            try #require(route.pose(at: 0)), try #require(route.pose(at: route.durationSeconds))
        )
        #expect(start.position.distance(to: end.position) < 0.01)
    }

    @Test(arguments: [(Method.grid, 0.5...1), (.centroid, 0.5...0.9)])
    func `positions and their stated accuracy are as good as such beacons allow`(
        _ method: Method,
        _ within: ClosedRange<Double>
    ) throws {
        let route = WalkCapture.demoRoute(
            environment: flat.environment,
            zones: flat.zones,
            things: flat.things
        )
        var errors: [Double] = []
        var (honest, count) = (0, 0)
        for seed in UInt64(20)...25 {
            for estimate in try estimates(seed: seed, method) {
                let truth = try #require(route.pose(at: estimate.time - 0.5)).position
                let error = Point3D(x: truth.x, y: truth.y, z: estimate.position.z).distance(
                    to: estimate.position
                )
                errors.append(error)
                count += 1
                if error <= estimate.accuracyMetres { honest += 1 }
            }
        }
        errors.sort()
        #expect(errors[errors.count / 2] < 0.8)
        #expect(errors[errors.count * 95 / 100] < 3)
        #expect(within.contains(Double(honest) / Double(count)))
    }

    @Test(arguments: Method.allCases)
    func `a capture in a file and a trace of it give the same positions bit for bit`(_ method: Method)
        async throws
    {
        let bytes = try walk(seed: 5)
        let expected = try estimates(.bytes(bytes, name: "walk"), method)
        try await withTemporaryFile { path in
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            #expect(try estimates(.file(path), method) == expected)
        }
        try await withTemporaryFile { path in
            var writer = try SensorTraceWriter(creating: path, started: "2026-01-01T00:00:00.000Z")
            var recording = try Recording(.bytes(bytes, name: "walk"))
            while let reading = try recording.next() { try writer.append(reading) }
            try writer.flush()
            #expect(try estimates(.file(path), method) == expected)
        }
        #expect(expected.count > 60)
    }

    @Test func `the same seed gives the same bytes`() throws {
        #expect(try walk(seed: 3) == walk(seed: 3))
        #expect(try walk(seed: 3) != walk(seed: 4))
        #expect(try walk(seed: 3).count < 1_000_000)
    }

    @Test func `the walk visits beacons in a place without lamps and a place without beacons is refused`()
        throws
    {
        let plain = flat.things.filter { $0.data["on"] == nil }
        let bytes = try WalkCapture.demoWalk(
            environment: flat.environment,
            zones: flat.zones,
            things: plain,
            seed: 1
        )
        var recording = try Recording(.bytes(bytes, name: "walk"))
        #expect(try recording.next() != nil)
        let error = #expect(throws: WalkCapture.PlaceError.self) {
            _ = try WalkCapture.demoWalk(
                environment: flat.environment,
                zones: [],
                things: flat.things,
                seed: 1
            )
        }
        #expect(error?.description.contains("but its zone has no major") == true)
    }
}
