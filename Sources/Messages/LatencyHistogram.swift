import Glibc

/// A histogram of durations: quantiles, for which old values lose weight, and totals since the start.
package struct LatencyHistogram: Sendable, Hashable {
    /// Steps are a factor of 2^¼ apart: a quantile is at most 10 % off.
    private static let stepsPerOctave = 4.0
    private static let shortest = 1e-5
    private static let steps = 96
    /// What longer ones count as, seconds.
    private static let longest = shortest * exp2(Double(steps) / stepsPerOctave)
    /// Octaves of the buckets: 0.32 ms to 10 s.
    private static let octaves = 5...20
    /// The counts are halved at this weight.
    private static let most = 8192

    private var counts = [Int](repeating: 0, count: Self.steps)
    private var weight = 0
    /// As `counts`, of all values since the start.
    private var totals = [Int](repeating: 0, count: Self.steps)
    /// The sum of all durations, seconds.
    package private(set) var sum = 0.0
    /// Number of recorded durations.
    package private(set) var count = 0

    package init() {}

    /// - Parameter seconds: Negative values and NaN count as 0.
    package mutating func record(_ seconds: Double) {
        let octaves = seconds > Self.shortest ? log2(seconds / Self.shortest) : 0
        let step = Int(min(octaves * Self.stepsPerOctave, Double(Self.steps - 1)))
        counts[step] += 1
        totals[step] += 1
        if seconds.isFinite, seconds > 0 { sum += min(seconds, Self.longest) }
        weight += 1
        count += 1
        guard weight >= Self.most else { return }
        for step in counts.indices { counts[step] /= 2 }
        weight = counts.reduce(0, +)
    }

    /// The duration that a share of all did not exceed, seconds; `nil` without values.
    package func quantile(_ share: Double) -> Double? {
        guard weight > 0 else { return nil }
        let rank = share * Double(weight)
        var sum = 0
        for (step, count) in counts.enumerated() {
            sum += count
            guard Double(sum) >= rank, count > 0 else { continue }
            return Self.shortest * exp2((Double(step) + 0.5) / Self.stepsPerOctave)
        }
        return nil
    }

    /// How many of all durations since the start were below each limit, in rising order; the limit in seconds.
    package var buckets: [(limit: Double, count: Int)] {
        Self.octaves.map { octave in
            let steps = Int(Double(octave) * Self.stepsPerOctave)
            return (Self.shortest * exp2(Double(octave)), totals.prefix(steps).reduce(0, +))
        }
    }
}
