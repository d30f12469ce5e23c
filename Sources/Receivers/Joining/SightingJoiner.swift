package import Positioning

/// Joins what the receivers of a place report of devices, as measurements for the estimators of these.
///
/// All times are those of the daemon's steady clock: when the message came. No receiver waits for another: each measurement
/// counts at once, and the levels of a receiver that falls silent age in the estimator. The errors of receivers are taken
/// out here; what is left is the offset of the device, which is heard with one power.
package struct SightingJoiner: Sendable {
    package var map: BeaconMap
    /// Names that no thing of the place has.
    package private(set) var unknownReceivers: Set<String> = []
    /// Measurements left out: of unknown receivers, too old, or of the future.
    package private(set) var ignored = 0

    private var latest = -Double.infinity

    private static let mostUnknown = 50
    /// A measurement may be older than the newest one by this, seconds; estimates of those seconds were made.
    package static let lateness = 2.0
    /// The clock was set if times differ by more than this, seconds.
    private static let longestStep = 60.0

    package init(map: BeaconMap) { self.map = map }

    /// A receiver has heard a device.
    ///
    /// - Parameter correction: The receiver's own error, dB.
    package mutating func join(_ sighting: ReceiverSighting, correction: Double = 0) -> BeaconSighting? {
        guard var joined = map.sighting(sighting) else {
            ignored &+= 1
            if unknownReceivers.count < Self.mostUnknown { unknownReceivers.insert(sighting.receiver) }
            return nil
        }
        joined.correct(by: correction)
        guard sighting.time.isFinite, sighting.time.magnitude < 1e12,
            BeaconSighting.isUsable(rssi: joined.rssi)
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
        return joined
    }
}
