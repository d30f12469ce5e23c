import Glibc

/// The constant error of a source: how much stronger than the true level it measures, as estimated so far.
/// - Source: contrib/contract/positioning.md, "6.4 Once a second".
struct ReceiverOffset: Sendable, Hashable {
    /// dB.
    private(set) var decibels = 0.0
    private var fixes = 0
    private var isRestored = false

    /// Position fixes after which the estimate is worth storing.
    private static let enoughFixes = 30
    private static let largestStep = 6.0
    private static let largest = 60.0

    init() {}

    /// Restores an offset that was stored by an earlier run.
    init(known decibels: Double) {
        guard decibels.isFinite, abs(decibels) <= Self.largest else { return }
        self.decibels = decibels
        isRestored = true
    }

    /// The offset to store; `nil` while it is still uncertain.
    var known: Double? { fixes >= Self.enoughFixes || isRestored ? decibels : nil }

    /// Standard deviation of the estimate, dB.
    func deviation(_ settings: GridEstimator.Settings) -> Double {
        let start = settings[isRestored ? .offsetWhenKnown : .offsetAtStart]
        return max(settings[.offset], start * exp(-Double(fixes) / settings[.offsetFixes]))
    }

    /// Corrects the estimate by the error of one update.
    mutating func learn(_ error: Double, _ settings: GridEstimator.Settings) {
        guard error.isFinite else { return }
        let gain = max(settings[.offsetGain], 1 / Double(fixes + 2))
        decibels += gain * min(max(error - decibels, -Self.largestStep), Self.largestStep)
        fixes += 1
    }
}

extension BySource<ReceiverOffset> {
    /// Corrects the estimates of the sources that were observed.
    mutating func learn(
        _ errors: BySource<Double>,
        from observations: [BeaconObservation],
        _ settings: GridEstimator.Settings
    ) {
        for source in MeasurementSource.allCases where !observations.of(source).isEmpty {
            self[source].learn(errors[source], settings)
        }
    }
}
