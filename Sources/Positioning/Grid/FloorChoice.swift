import Glibc

/// On which floor the device is, by how well what is heard fits each.
///
/// - Source: positioning 6.7: evidence is summed and forgotten, and another floor must lead for a while.
struct FloorChoice: Sendable, Hashable {
    private var evidence: [Double]
    /// The one that is believed, of all that count.
    private(set) var floor = 0
    private var rival = 0
    private var rivalSeconds = 0.0
    private var updates = 0

    /// What is left of the evidence after a second.
    private static let memory = 0.9
    /// How much more likely another floor must be, as a logarithm, and for how long.
    private static let lead = 2.9957
    private static let leadSeconds = 5.0
    /// The first so many updates choose freely.
    private static let freeUpdates = 5

    init(floors: Int) {
        evidence = Array(repeating: 0, count: max(floors, 1))
    }

    /// What was known of the past is of no use any more.
    mutating func forget() {
        for floor in evidence.indices { evidence[floor] = 0 }
        rivalSeconds = 0
        updates = 0
    }

    /// Takes in how likely an update was on a floor, as a logarithm.
    mutating func note(_ logLikelihood: Double, on floor: Int, decay: Double) {
        guard logLikelihood.isFinite else { return }
        evidence[floor] = evidence[floor] * decay + logLikelihood
    }

    /// What is left of earlier evidence after a step of time.
    static func decay(over seconds: Double) -> Double { pow(memory, seconds) }

    /// Decides, once all floors were noted.
    mutating func decide(step: Double) {
        updates += 1
        var best = floor
        for other in evidence.indices where evidence[other] > evidence[best] { best = other }
        guard updates > Self.freeUpdates else {
            floor = best
            return
        }
        guard best != floor, evidence[best] - evidence[floor] >= Self.lead else {
            rivalSeconds = 0
            return
        }
        rivalSeconds = best == rival ? rivalSeconds + step : step
        rival = best
        guard rivalSeconds >= Self.leadSeconds else { return }
        floor = best
        rivalSeconds = 0
    }
}
