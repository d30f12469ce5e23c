package import Flare

/// How reliable a position estimate is.
/// - Source: contrib/contract/positioning.md, "6.6 Few beacons, none, and loss".
package enum PositionQuality: String, Sendable, Hashable, CaseIterable {
    case good, fair, coarse, lost
}

/// An estimate of the device's position.
package struct PositionEstimate: Sendable, Hashable {
    /// Rounded to 0.01 m.
    package var position: Point3D
    /// Radius that contains about two thirds of the errors.
    package var accuracyMetres: Double
    package var quality: PositionQuality
    /// Number of beacons it is based on; 0 when an earlier estimate is held.
    package var beaconsHeard: Int
    /// Seconds on the steady clock of the sightings.
    package var time: Double
    /// Index into ``BeaconMap/floors``; `nil` when the place has no floors or the estimator does not
    /// determine one.
    package var floor: Int?

    package init(
        position: Point3D,
        accuracyMetres: Double,
        quality: PositionQuality,
        beaconsHeard: Int,
        time: Double,
        floor: Int? = nil
    ) {
        self.position = position
        self.accuracyMetres = accuracyMetres
        self.quality = quality
        self.beaconsHeard = beaconsHeard
        self.time = time
        self.floor = floor
    }
}

/// A receiver's own error, as one estimate shows it.
package struct ReceiverError: Sendable, Hashable {
    package let receiver: String
    /// Measured minus expected level, dB.
    package let decibels: Double

    package init(receiver: String, decibels: Double) { (self.receiver, self.decibels) = (receiver, decibels) }
}

/// Estimates a position from beacon sightings.
///
/// Sightings are recorded as they arrive; estimates are requested once a second.
package protocol PositionEstimator: Sendable {
    /// The beacons of the place. A new map keeps the sightings of the beacons that remain.
    var map: BeaconMap { get set }

    mutating func record(_ sighting: BeaconSighting)

    /// Considers for some seconds that the device moves, or does not.
    mutating func record(_ flag: MotionFlag)

    /// The estimate from the sightings before `time`; `nil` before the first sighting.
    mutating func estimate(at time: Double) -> PositionEstimate?

    /// The beacons that the last estimate is based on, each with its last packet; none while an earlier one is held.
    var counted: [FlareID: BeaconReports.Report] { get }

    /// How likely the device is in each zone, by the last estimate from beacons; `nil` if that is not known.
    var zoneShares: ZoneShares? { get }

    /// The constant error of each source, dB; a source has none while it is still uncertain.
    ///
    /// It belongs to the antenna, not to the place, so it can be stored and passed to the next estimator.
    var offsets: BySource<Double?> { get set }

    /// By how much the receivers that the last estimate is based on measure more than was expected there, apart from
    /// what all of them have in common; none with a survey, whose levels contain such errors.
    var receiverErrors: [ReceiverError] { get }

    /// Problems with beacons found so far.
    var findings: [BeaconFinding] { get }

    /// What surveys of the place found out about the levels of each source; an estimator that cannot use it ignores it.
    var radioMaps: BySource<RadioMap?> { get set }

    /// Whether the levels of each source are those of a survey, on the current floor.
    var surveyed: BySource<Bool> { get }
}

extension PositionEstimator {
    package var receiverErrors: [ReceiverError] { [] }
    package var offsets: BySource<Double?> {
        get { .init(nil, nil) }
        set {}
    }
    package var findings: [BeaconFinding] { [] }
    package var radioMaps: BySource<RadioMap?> {
        get { .init(nil, nil) }
        set {}
    }
    package var surveyed: BySource<Bool> { .init(false, false) }
    package var isSurveyed: Bool { surveyed.device || surveyed.receivers }
    package var counted: [FlareID: BeaconReports.Report] { [:] }
    package var zoneShares: ZoneShares? { nil }
    package mutating func record(_ flag: MotionFlag) {}
}

extension Point3D {
    /// To the nearest multiple of 0.01 m.
    package var roundedToCentimetres: Point3D {
        Point3D(x: (x * 100).rounded() / 100, y: (y * 100).rounded() / 100, z: (z * 100).rounded() / 100)
    }
}
