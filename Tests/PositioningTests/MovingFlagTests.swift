import Flare
import Positioning
import Testing

/// Positions with and without a flag that says whether the device moves.
@Suite struct MovingFlagTests {
    private let hall = GridPlace.hall
    private let spot = Point3D(x: 4, y: 5, z: 0.9)

    /// The distances to the true positions of a simulated walk, one a second.
    ///
    /// - Parameter wrong: The part of the flags that are wrong; `nil` gives none.
    private func errors(seed: UInt64, wrong: Double?) -> [Double] {
        let office = SimulatedOffice()
        let route = office.route(seed: seed)
        var tracker = PositionTracker(estimator: GridEstimator(map: office.map))
        var generator = SeededGenerator(seed: seed)
        var (flaggedAt, errors) = (0.0, [Double]())
        for sighting in office.sightings(route, seed: seed) {
            for estimate in tracker.record(sighting) where estimate.time >= 10 {
                guard let truth = route.pose(at: estimate.time) else { continue }
                errors.append(estimate.position.plane(to: truth.position))
            }
            guard let wrong, sighting.time >= flaggedAt + 1 else { continue }
            flaggedAt = sighting.time
            let isWrong = generator.unit() < wrong
            let isMoving = route.pose(at: sighting.time)?.isMoving == true
            tracker.record(MotionFlag(isMoving: isMoving != isWrong, time: sighting.time))
        }
        return errors
    }

    @Test func `walks are followed more exactly with flags of which one in twenty is wrong`() {
        var (plain, flagged) = ([Double](), [Double]())
        for seed in UInt64(101)...106 {
            plain += errors(seed: seed, wrong: nil)
            flagged += errors(seed: seed, wrong: 0.05)
        }
        #expect(plain.count > 500 && plain.count == flagged.count)
        let (before, after) = (plain.reduce(0, +), flagged.reduce(0, +))
        #expect(after < before, "\(after / before)")
    }

    private func stand(_ flag: MotionFlag?, seconds: Int = 9) -> [PositionEstimate] {
        var estimator = GridEstimator(map: hall.map)
        if let flag { estimator.record(flag) }
        return hall.stand(at: spot, from: 0, seconds: seconds, &estimator)
    }

    @Test func `a flag counts for ten seconds`() {
        let plain = stand(nil)
        for isMoving in [true, false] {
            #expect(stand(MotionFlag(isMoving: isMoving, time: 0)) != plain)
            #expect(stand(MotionFlag(isMoving: isMoving, time: -9.1)) == plain)
            #expect(stand(MotionFlag(isMoving: isMoving, time: 20)) == plain, "of another clock")
            for time in [Double.nan, .infinity, -.infinity, 1e300] {
                #expect(stand(MotionFlag(isMoving: isMoving, time: time)) == plain)
            }
        }
    }

    @Test func `the last flag counts`() {
        func stand(_ flags: [Bool]) -> [PositionEstimate] {
            var estimator = GridEstimator(map: hall.map)
            for isMoving in flags { estimator.record(MotionFlag(isMoving: isMoving, time: 0)) }
            return hall.stand(at: spot, from: 0, seconds: 9, &estimator)
        }
        #expect(stand([true, false]) == stand([false]))
        #expect(stand([false, true]) != stand([false]))
    }

    @Test func `at rest, a position stays exact while nothing is heard`() throws {
        func accuracy(_ isMoving: Bool?) throws -> Double {
            var estimator = GridEstimator(map: hall.map)
            hall.stand(at: spot, from: 0, seconds: 20, &estimator)
            var last: PositionEstimate?
            for second in 21...60 {
                if let isMoving {
                    estimator.record(MotionFlag(isMoving: isMoving, time: Double(second) - 0.5))
                }
                last = estimator.estimate(at: Double(second))
            }
            return try #require(last).accuracyMetres
        }
        let (plain, resting, moving) = (try accuracy(nil), try accuracy(false), try accuracy(true))
        #expect(resting < plain && plain < moving, "\(resting) \(plain) \(moving)")
    }

    @Test func `with each probability that may be set, positions stay finite`() {
        for probability in [0.5, 0.999, 7, -7] {
            var settings = GridEstimator.Settings()
            settings[.motionFlag] = probability
            var estimator = GridEstimator(map: hall.map, settings: settings)
            for second in 0..<60 {
                estimator.record(MotionFlag(isMoving: second % 20 < 10, time: Double(second)))
                for estimate in hall.stand(at: spot, from: Double(second), seconds: 1, &estimator) {
                    #expect(estimate.position.isFinite && estimate.accuracyMetres.isFinite)
                    #expect(second < 10 || estimate.position.plane(to: spot) < 2)
                }
            }
        }
    }

    @Test func `a probability of a half changes nothing that can be seen`() {
        var settings = GridEstimator.Settings()
        settings[.motionFlag] = 0.5
        var estimator = GridEstimator(map: hall.map, settings: settings)
        estimator.record(MotionFlag(isMoving: true, time: 0))
        let halved = hall.stand(at: spot, from: 0, seconds: 9, &estimator)
        #expect(zip(halved, stand(nil)).allSatisfy { $0.position.plane(to: $1.position) < 0.05 })
    }
}
