extension BeaconMap {
    /// Used when neither the place nor the beacon states the power at one metre, dBm.
    private static let defaultPower = -59.0
    /// The powers that a beacon may plausibly state, dBm.
    private static let plausiblePowers = -100 ... -20

    /// Which beacon a packet is from, and how strongly it was heard, dB over its level at one metre.
    ///
    /// - Returns: `nil` for a packet that says nothing about this place.
    func level(of sighting: BeaconSighting) -> (index: Int, decibels: Double)? {
        guard sighting.time.isFinite, BeaconSighting.isUsable(rssi: sighting.rssi),
            let index = index(of: sighting.identity)
        else { return nil }
        let stated = sighting.powerAtOneMetre.flatMap { Self.plausiblePowers.contains($0) ? Double($0) : nil }
        return (
            index, Double(sighting.rssi) - (beacons[index].powerAtOneMetre ?? stated ?? Self.defaultPower)
        )
    }
}
