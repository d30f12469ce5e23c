/// A beacon, heard once.
package struct BeaconSighting: Sendable, Hashable {
    package var identity: BeaconIdentity
    /// Received power, dBm.
    package var rssi: Int
    /// What the beacon says it is heard with at one metre, dBm; `nil` when it says nothing of use.
    package var powerAtOneMetre: Int?
    /// Seconds on the source's steady clock.
    package var time: Double

    package init(identity: BeaconIdentity, rssi: Int, powerAtOneMetre: Int? = nil, time: Double) {
        self.identity = identity
        self.rssi = rssi
        self.powerAtOneMetre = powerAtOneMetre
        self.time = time
    }

    /// Whether a received power can be true; 127 means "not available", and receivers also invent others.
    /// - Source: Bluetooth Core Specification, volume 4, part E, 7.7.65.2; positioning 6.2.
    package static func isUsable(rssi: Int) -> Bool {
        (-110 ... -1).contains(rssi)
    }
}
