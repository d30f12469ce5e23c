import Glibc

/// Chooses the device's floor by how well the received levels fit each floor.
///
/// - Source: contrib/contract/positioning.md, "6.7 Height and floors": evidence accumulates and decays, and
///   another floor must lead for a while.
struct FloorChoice: Sendable, Hashable {
    private var evidence: [Double]
    /// Index of the chosen floor among those that have a grid.
    private(set) var floor = 0
    private var candidate = 0
    private var candidateSeconds = 0.0
    private var updates = 0

    /// Decay of the evidence in a second.
    private static let memory = 0.9
    /// Log-likelihood ratio by which another floor must lead, and for how long.
    private static let lead = 2.9957
    private static let leadSeconds = 5.0
    /// During the first updates the most likely floor is chosen at once.
    private static let freeUpdates = 5

    init(floors: Int) {
        evidence = Array(repeating: 0, count: max(floors, 1))
    }

    /// Discards all evidence.
    mutating func reset() {
        for floor in evidence.indices { evidence[floor] = 0 }
        candidateSeconds = 0
        updates = 0
    }

    /// Adds the log-likelihood of an update on a floor.
    mutating func add(_ logLikelihood: Double, to floor: Int, decay: Double) {
        guard logLikelihood.isFinite else { return }
        evidence[floor] = evidence[floor] * decay + logLikelihood
    }

    /// The decay of evidence over a step of time.
    static func decay(over seconds: Double) -> Double { pow(memory, seconds) }

    /// Chooses a floor, after ``add(_:to:decay:)`` for every floor.
    mutating func decide(step: Double) {
        updates += 1
        var best = floor
        for other in evidence.indices where evidence[other] > evidence[best] { best = other }
        guard updates > Self.freeUpdates else {
            floor = best
            return
        }
        guard best != floor, evidence[best] - evidence[floor] >= Self.lead else {
            candidateSeconds = 0
            return
        }
        candidateSeconds = best == candidate ? candidateSeconds + step : step
        candidate = best
        guard candidateSeconds >= Self.leadSeconds else { return }
        floor = best
        candidateSeconds = 0
    }
}
