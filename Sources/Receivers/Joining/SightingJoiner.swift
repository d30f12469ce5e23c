package import Positioning

/// Where a measurement of a device's position was made; each has an offset of its own in the estimator.
package enum MeasurementSource: Sendable, Hashable, CaseIterable {
    /// The device hears a beacon.
    case device
    /// A receiver hears the device.
    case receivers
}

/// A measurement for the one estimator of a device.
package struct JoinedSighting: Sendable, Hashable {
    package let source: MeasurementSource
    package let sighting: BeaconSighting
}

/// Joins what a device hears with what receivers hear of it, as measurements for one estimator.
///
/// All times are those of the daemon's steady clock: of a beacon when the packet came, of a receiver when its message came.
/// Neither source waits for the other: each measurement counts at once, and whoever is silent simply ages in the
/// estimator. The errors of receivers are taken out here; what is left of each source is one offset, since a device hears
/// everything with one antenna, and is heard with one power.
package struct SightingJoiner: Sendable {
    package var map: BeaconMap
    /// Names that no thing of the place has.
    package private(set) var unknownReceivers: Set<String> = []
    /// Measurements left out: of unknown receivers and beacons, too old, or of the future.
    package private(set) var ignored = 0

    private var latest = -Double.infinity

    private static let mostUnknown = 50
    /// A measurement may be older than the newest one by this, seconds; estimates of those seconds were made.
    package static let lateness = 2.0
    /// The clock was set if times differ by more than this, seconds.
    private static let longestStep = 60.0

    package init(map: BeaconMap) { self.map = map }

    /// The device has heard a beacon.
    package mutating func join(_ sighting: BeaconSighting) -> JoinedSighting? {
        guard sighting.identity.group != .receivers, map.index(of: sighting.identity) != nil else {
            ignored &+= 1
            return nil
        }
        return join(sighting, .device)
    }

    /// A receiver has heard the device.
    package mutating func join(_ sighting: ReceiverSighting, _ errors: ReceiverErrors) -> JoinedSighting? {
        guard var joined = map.sighting(sighting) else {
            ignored &+= 1
            if unknownReceivers.count < Self.mostUnknown { unknownReceivers.insert(sighting.receiver) }
            return nil
        }
        joined.rssi -= Int(errors.correction(of: sighting.receiver).rounded())
        return join(joined, .receivers)
    }

    private mutating func join(_ sighting: BeaconSighting, _ source: MeasurementSource) -> JoinedSighting? {
        guard sighting.time.isFinite, sighting.time.magnitude < 1e12,
            BeaconSighting.isUsable(rssi: sighting.rssi)
        else {
            ignored &+= 1
            return nil
        }
        let age = latest - sighting.time
        if age > Self.lateness, age < Self.longestStep {
            ignored &+= 1
            return nil
        }
        latest = age >= Self.longestStep ? sighting.time : max(latest, sighting.time)
        return JoinedSighting(source: source, sighting: sighting)
    }
}
