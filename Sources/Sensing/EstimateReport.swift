package import Controller
package import Positioning
package import Receivers

// What follows from an estimate, in the same way for every device.

extension ControllerEvent.PositionEstimated {
    /// The controller's event for an estimate.
    ///
    /// - Parameters:
    ///   - estimator: The one that made it.
    ///   - heardAt: When the reading came that made it due, seconds on the steady clock.
    ///   - surveyTakenAt: When the newest point of the survey was taken, milliseconds since 1970 UTC.
    package init(
        _ estimate: PositionEstimate,
        by estimator: any PositionEstimator,
        isMoving: Bool,
        heardAt: Double,
        surveyTakenAt: Int64?
    ) {
        self.init(
            position: estimate.position,
            accuracyMetres: estimate.accuracyMetres,
            quality: PositionFix.Quality(estimate.quality),
            isMoving: isMoving,
            // Without beacons the estimate is the previous one.
            heardAt: estimate.beaconsHeard > 0 ? heardAt : nil,
            beacons: estimator.counted.mapValues { .init(rssi: $0.rssi, age: estimate.time - $0.heardAt) },
            model: estimator.isSurveyed ? .survey(takenAt: surveyTakenAt) : .plain,
            zones: estimator.zoneShares
        )
    }
}

extension PositionFix.Quality {
    fileprivate init(_ quality: PositionQuality) {
        switch quality {
        case .good: self = .good
        case .fair: self = .fair
        case .coarse: self = .coarse
        case .lost: self = .lost
        }
    }
}

extension ReceiverLessons {
    /// Teaches the errors of receivers if enough of them heard the device, and it has moved since the last lesson.
    package mutating func teach(
        _ errors: LearntReceiverErrors,
        _ estimate: PositionEstimate,
        by estimator: any PositionEstimator
    ) {
        guard estimate.beaconsHeard > ReceiverErrors.leastOthers else { return }
        let found = estimator.receiverErrors
        guard found.count > ReceiverErrors.leastOthers, isDue(at: estimate.position) else { return }
        errors.learn(found)
    }
}
