/// One beacon's measured level at one instant.
struct BeaconObservation: Sendable {
    /// Its index in the map.
    let beacon: Int
    /// The floor on which it stands.
    let floor: Int
    /// Received level, dB over its level at one metre.
    let level: Double
    /// Variance of the level, dB².
    let variance: Double
    /// Weight in the mean of the beacons, apart from its distance.
    let share: Double

    /// - Parameter average: The level, and how many packets it averages.
    init(
        _ beacon: Int,
        _ floor: Int,
        _ average: (level: Double, packets: Double),
        _ settings: GridEstimator.Settings
    ) {
        self.beacon = beacon
        self.floor = floor
        level = average.level
        let (spread, fading) = (settings[.spread], settings[.fading])
        variance = spread * spread + fading * fading / max(average.packets, Self.leastPackets)
        share = min(average.packets, 1)
    }

    /// An old level still counts for this part of a packet.
    private static let leastPackets = 0.05
}
