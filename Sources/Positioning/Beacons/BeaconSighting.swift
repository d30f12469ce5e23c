/// One received packet of a beacon.
package struct BeaconSighting: Sendable, Hashable {
    package var identity: BeaconIdentity
    /// Received power, dBm.
    package var rssi: Int
    /// The calibrated power at one metre, dBm; `nil` when the beacon states none.
    package var powerAtOneMetre: Int?
    /// Seconds on the source's steady clock.
    package var time: Double

    package init(identity: BeaconIdentity, rssi: Int, powerAtOneMetre: Int? = nil, time: Double) {
        self.identity = identity
        self.rssi = rssi
        self.powerAtOneMetre = powerAtOneMetre
        self.time = time
    }

    /// Whether a received power is plausible; 127 means "not available", and some receivers report other
    /// invalid values.
    /// - Source: Bluetooth Core Specification, volume 4, part E, 7.7.65.2; contrib/contract/positioning.md,
    ///   "6.2 For each packet".
    package static func isUsable(rssi: Int) -> Bool {
        usable.contains(rssi)
    }

    private static let usable = -110 ... -1

    /// Takes the receiver's own error out.
    ///
    /// - Parameter error: By how much it measures too much, dB; a usable level stays one.
    package mutating func correct(by error: Double) {
        guard Self.isUsable(rssi: rssi), error.magnitude < 1000 else { return }
        rssi = min(max(rssi - Int(error.rounded()), Self.usable.lowerBound), Self.usable.upperBound)
    }
}
