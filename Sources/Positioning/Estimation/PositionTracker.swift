/// Asks an estimator at each whole second of the sightings' own clock.
///
/// Estimates depend on the order and times of what was heard alone, so a recording gives the same ones again,
/// at whatever speed it is played.
package struct PositionTracker: Sendable {
    package var estimator: any PositionEstimator
    private var nextSecond: Double?

    /// After a silence longer than this many seconds only its end is estimated; a clock that is set back farther is
    /// followed.
    private static let longestCatchUp = 30.0

    package init(estimator: any PositionEstimator) {
        self.estimator = estimator
    }

    /// Hears a sighting; the estimates of the seconds that ended before it.
    package mutating func hear(_ sighting: BeaconSighting) -> [PositionEstimate] {
        let estimates = advance(to: sighting.time)
        estimator.hear(sighting)
        return estimates
    }

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
