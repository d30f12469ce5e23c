/// One beacon's measured level at one instant.
struct BeaconObservation: Sendable {
    /// Its index in the map.
    let beacon: Int
    let source: MeasurementSource
    /// The floor on which it stands.
    let floor: Int
    /// Received level, dB over its level at one metre.
    let level: Double
    /// Variance of the level in addition to that of the model or the survey, dB².
    let variance: Double
    /// Weight in the mean of the beacons, apart from its distance.
    let share: Double

    /// - Parameters:
    ///   - average: The level, and how many packets it averages.
    ///   - doubt: Known error of this beacon, dB.
    init(
        _ beacon: Int,
        _ source: MeasurementSource,
        _ floor: Int,
        _ average: (level: Double, packets: Double),
        doubt: Double = 0,
        _ settings: GridEstimator.Settings
    ) {
        self.beacon = beacon
        self.source = source
        self.floor = floor
        level = average.level
        let fading = settings[.fading]
        let packets = max(average.packets, Self.leastPackets)
        variance = fading * fading / packets + doubt * doubt
        share = min(packets, 1)
    }

    /// An old level still counts for this part of a packet.
    private static let leastPackets = 0.05
}

extension [BeaconObservation] {
    /// Puts those of each source together, as an update needs them.
    mutating func groupBySource() { _ = partition { $0.source == .receivers } }

    /// Those of a source, if they are grouped.
    func of(_ source: MeasurementSource) -> ArraySlice<BeaconObservation> {
        let start = firstIndex { $0.source == .receivers } ?? endIndex
        return source == .device ? self[..<start] : self[start...]
    }
}
