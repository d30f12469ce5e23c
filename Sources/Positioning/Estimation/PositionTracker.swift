/// Requests an estimate at each whole second of the sightings' clock.
///
/// Estimates depend only on the order and times of the sightings, so replaying a recording gives the same
/// ones at any speed.
package struct PositionTracker: Sendable {
    package var estimator: any PositionEstimator
    private var nextSecond: Double?

    /// After a gap longer than this many seconds only its end is estimated; a clock that is set back farther
    /// is followed.
    private static let longestCatchUp = 30.0

    package init(estimator: any PositionEstimator) {
        self.estimator = estimator
    }

    /// Records a sighting and returns the estimates of the seconds that ended before it.
    package mutating func record(_ sighting: BeaconSighting) -> [PositionEstimate] {
        let estimates = advance(to: sighting.time)
        estimator.record(sighting)
        return estimates
    }

    /// Records whether the device moves, for the estimates that follow.
    package mutating func record(_ flag: MotionFlag) { estimator.record(flag) }

    /// The estimates of the seconds that have ended by `time`.
    package mutating func advance(to time: Double) -> [PositionEstimate] {
        guard time.isFinite, time.magnitude < 1e12 else { return [] }
        let second = time.rounded(.down)
        guard var next = nextSecond else {
            nextSecond = second + 1
            return []
        }
        if abs(second - next) > Self.longestCatchUp { next = second }
        var estimates: [PositionEstimate] = []
        while next <= second {
            if let estimate = estimator.estimate(at: next) { estimates.append(estimate) }
            next += 1
        }
        nextSecond = next
        return estimates
    }
}
