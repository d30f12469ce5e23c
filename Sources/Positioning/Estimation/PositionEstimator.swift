package import Flare

/// How far an estimate can be trusted.
/// - Source: positioning 6.6.
package enum PositionQuality: String, Sendable, Hashable, CaseIterable {
    case good, fair, coarse, lost
}

/// Where the device is believed to be.
package struct PositionEstimate: Sendable, Hashable {
    /// Rounded to 0.01 m.
    package var position: Point3D
    /// About two thirds of all estimates are nearer to the truth than this.
    package var accuracyMetres: Double
    package var quality: PositionQuality
    /// How many beacons it was drawn from; 0 when an earlier one is held.
    package var beaconsHeard: Int
    /// Seconds on the steady clock of the sightings.
    package var time: Double
    /// Where the truth probably is; `nil` when the estimator does not tell.
    package var ellipse: ErrorEllipse?
    /// The number of the floor in ``BeaconMap/floors``; `nil` when the place has none or the estimator does not tell.
    package var floor: Int?

    package init(
        position: Point3D,
        accuracyMetres: Double,
        quality: PositionQuality,
        beaconsHeard: Int,
        time: Double,
        ellipse: ErrorEllipse? = nil,
        floor: Int? = nil
    ) {
        self.position = position
        self.accuracyMetres = accuracyMetres
        self.quality = quality
        self.beaconsHeard = beaconsHeard
        self.time = time
        self.ellipse = ellipse
        self.floor = floor
    }
}

/// From what is heard to where one is.
///
/// It is told every sighting and asked once a second.
package protocol PositionEstimator: Sendable {
    /// Where the beacons are. A new map keeps what was heard of the beacons that stay.
    var map: BeaconMap { get set }

    mutating func hear(_ sighting: BeaconSighting)

    /// The estimate from what was heard before `time`; `nil` until a beacon was heard for the first time.
    mutating func estimate(at time: Double) -> PositionEstimate?

    /// By how much this receiver hears everything stronger than it is, dB; `nil` as long as that is a guess.
    ///
    /// It belongs to the receiver, not to the place: who keeps it may put it into the next estimator.
    var receiverOffset: Double? { get set }

    /// What is wrong with the beacons, as far as it has been heard.
    var findings: [BeaconFinding] { get }
}

extension PositionEstimator {
    package var receiverOffset: Double? {
        get { nil }
        set {}
    }
    package var findings: [BeaconFinding] { [] }
}

extension Point3D {
    /// To the nearest multiple of 0.01 m.
    package var roundedToCentimetres: Point3D {
        Point3D(x: (x * 100).rounded() / 100, y: (y * 100).rounded() / 100, z: (z * 100).rounded() / 100)
    }
}
