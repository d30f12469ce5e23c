/// What one beacon says at one moment.
struct BeaconObservation: Sendable {
    /// Its number in the map.
    let beacon: Int
    /// The floor on which it stands.
    let floor: Int
    /// How strongly it is heard, dB over what it is heard with at one metre.
    let level: Double
    /// Of the level, dB².
    let variance: Double
    /// What it counts for in the weighted mean of the beacons, beside its distance.
    let share: Double

    /// - Parameter heard: The level, and how many packets say so.
    init(
        _ beacon: Int,
        _ floor: Int,
        _ heard: (level: Double, packets: Double),
        _ settings: GridEstimator.Settings
    ) {
        self.beacon = beacon
        self.floor = floor
        level = heard.level
        let (spread, fading) = (settings[.spread], settings[.fading])
        variance = spread * spread + fading * fading / max(heard.packets, Self.leastPackets)
        share = min(heard.packets, 1)
    }

    /// However old, a level counts for this much of a packet.
    private static let leastPackets = 0.05
}
