/// The device as received once by a receiver of the place: a sighting with reversed roles.
package struct ReceiverSighting: Sendable, Hashable {
    /// The receiver's name, as in a thing's `receiver`.
    package var receiver: String
    /// Received power, dBm.
    package var rssi: Int
    /// The device's power at one metre, dBm; `nil` when the receiver does not state it.
    package var powerAtOneMetre: Int?
    /// Seconds on the source's steady clock.
    package var time: Double

    package init(receiver: String, rssi: Int, powerAtOneMetre: Int? = nil, time: Double) {
        self.receiver = receiver
        self.rssi = rssi
        self.powerAtOneMetre = powerAtOneMetre
        self.time = time
    }
}

extension BeaconMap {
    /// Converts it to a sighting of the beacon that stands for the receiver; `nil` when the place has no such
    /// receiver.
    package func sighting(_ sighting: ReceiverSighting) -> BeaconSighting? {
        identity(ofReceiver: sighting.receiver).map {
            BeaconSighting(
                identity: $0,
                rssi: sighting.rssi,
                powerAtOneMetre: sighting.powerAtOneMetre,
                time: sighting.time
            )
        }
    }
}
