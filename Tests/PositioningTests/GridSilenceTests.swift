import Flare
import Positioning
import Testing

/// Positions while nothing is received.
@Suite struct GridSilenceTests {
    private let hall = GridPlace.hall
    private let spot = Point3D(x: 4, y: 5, z: 0.9)

    private func settled() -> GridEstimator {
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: spot, from: 0, seconds: 20, &estimator)
        return estimator
    }

    @Test func `silence holds the position, lowers its quality and then loses it`() throws {
        var estimator = settled()
        let before = try #require(estimator.estimate(at: 21) as PositionEstimate?)
        var estimates: [PositionEstimate] = []
        for second in 22...100 {
            estimates.append(try #require(estimator.estimate(at: Double(second)) as PositionEstimate?))
        }
        let silent = estimates.filter { $0.beaconsHeard == 0 }
        #expect(silent.first?.time == 30)
        #expect(Set(silent.map(\.position)).count == 1)
        #expect(try #require(silent.first).position.plane(to: before.position) < 0.5)
        #expect(silent.map(\.accuracyMetres) == silent.map(\.accuracyMetres).sorted())
        #expect(try #require(silent.last).accuracyMetres > 2 * before.accuracyMetres)
        // The last packet arrived at 19.8 s.
        for estimate in silent { #expect(estimate.quality == (estimate.time < 34.8 ? .coarse : .lost)) }
        let found = hall.stand(at: spot, from: 100, seconds: 5, &estimator)
        #expect(found.first?.quality != .lost)
        #expect(try #require(found.last).position.plane(to: spot) < 1)
    }

    @Test func `after a minute of silence the belief is reset and the receiver error is kept`() throws {
        var (one, two) = (GridEstimator(map: hall.map), GridEstimator(map: hall.map))
        hall.stand(at: Point3D(x: 1, y: 1, z: 0.9), from: 0, seconds: 60, &one) { $1 + 6 }
        hall.stand(at: Point3D(x: 11, y: 7, z: 0.9), from: 0, seconds: 60, &two) { $1 + 6 }
        for second in 61...125 {
            _ = one.estimate(at: Double(second))
            _ = two.estimate(at: Double(second))
        }
        #expect(abs(try #require(one.offsets.device) - 6) < 2)
        let (left, right) = (
            hall.stand(at: spot, from: 125, seconds: 1, &one) { $1 + 6 },
            hall.stand(at: spot, from: 125, seconds: 1, &two) { $1 + 6 }
        )
        #expect(try #require(left.first).position.plane(to: #require(right.first).position) < 0.3)
    }

    @Test(arguments: [40.0, 100_000, 1e12, -40, -1e6, -1e300])
    func `a suspended machine or a changed clock resets the estimator`(_ jump: Double) throws {
        var estimator = settled()
        let corner = Point3D(x: 11, y: 1, z: 0.9)
        let after = hall.stand(at: corner, from: 20 + jump, seconds: 4, &estimator)
        // At this magnitude a Double cannot represent single seconds.
        guard abs(jump) < 1e15 else { return #expect(after.allSatisfy { $0.position.isFinite }) }
        #expect(try #require(after.first).position.plane(to: corner) < 3)
        #expect(try #require(after.last).position.plane(to: corner) < 1.5)
        #expect(try #require(after.last).quality == .good)
    }

    @Test func `a clock that goes back a little changes nothing until it catches up`() throws {
        var estimator = settled()
        let before = try #require(estimator.estimate(at: 21) as PositionEstimate?)
        #expect(estimator.estimate(at: 15) == before)
        #expect(estimator.estimate(at: 21) == before)
        #expect(try #require(estimator.estimate(at: 22) as PositionEstimate?).time == 22)
        #expect(estimator.estimate(at: .nan)?.time == 22)
        #expect(estimator.estimate(at: .infinity)?.time == 22)
    }

    @Test(arguments: [1, 2]) func `with fewer than three beacons positions are coarse`(_ count: Int) throws {
        var estimator = GridEstimator(map: hall.map)
        let estimates = hall.stand(at: spot, from: 0, seconds: 10, &estimator, hearing: Set(0..<count))
        let last = try #require(estimates.last)
        #expect(last.quality == .coarse)
        #expect(last.beaconsHeard == count)
        #expect(estimator.counted.count == count)
        #expect(estimator.counted.values.allSatisfy { $0.rssi != nil && last.time - $0.heardAt <= 10 })
        estimator.map = BeaconMap(
            environment: FlareEnvironment(id: FlareID(high: 9, low: 0)),
            zones: [],
            things: []
        )
        #expect(estimator.counted.isEmpty)
        #expect(last.accuracyMetres > 3)
        // Biased towards the received beacons.
        #expect(last.position.plane(to: Point3D(x: 3, y: 0)) < 5)
    }
}
