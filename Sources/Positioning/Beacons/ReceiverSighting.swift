/// The device, heard once by a receiver of the place: a sighting with the roles swapped.
package struct ReceiverSighting: Sendable, Hashable {
    /// What the receiver is called, as a thing's `receiver` has it.
    package var receiver: String
    /// Received power, dBm.
    package var rssi: Int
    /// What the device is heard with at one metre, dBm; `nil` when the receiver does not say.
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
    /// The same as a sighting of a beacon of this map; `nil` when the place has no such receiver.
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
