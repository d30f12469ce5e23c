import Glibc

/// By how much this receiver hears everything stronger than it is, as far as it is known.
/// - Source: positioning 6.4.
struct ReceiverOffset: Sendable, Hashable {
    /// dB.
    private(set) var decibels = 0.0
    private var fixes = 0
    private var isFromBefore = false

    /// After so many positions it is worth keeping.
    private static let enoughFixes = 30
    private static let largestStep = 6.0
    private static let largest = 60.0

    init() {}

    /// One that was kept from an earlier run.
    init(known decibels: Double) {
        guard decibels.isFinite, abs(decibels) <= Self.largest else { return }
        self.decibels = decibels
        isFromBefore = true
    }

    /// What to keep; `nil` as long as it is a guess.
    var known: Double? { fixes >= Self.enoughFixes || isFromBefore ? decibels : nil }

    /// How far the truth may be off it, dB.
    func deviation(_ settings: GridEstimator.Settings) -> Double {
        let start = settings[isFromBefore ? .offsetWhenKnown : .offsetAtStart]
        return max(settings[.offset], start * exp(-Double(fixes) / settings[.offsetFixes]))
    }

    /// Learns from an update what the error seems to be.
    mutating func learn(_ seen: Double, _ settings: GridEstimator.Settings) {
        guard seen.isFinite else { return }
        let gain = max(settings[.offsetGain], 1 / Double(fixes + 2))
        decibels += gain * min(max(seen - decibels, -Self.largestStep), Self.largestStep)
        fixes += 1
    }
}
