import Glibc

/// A histogram of durations in which old values lose weight.
package struct LatencyHistogram: Sendable {
    /// Steps are a factor of 2^¼ apart: a quantile is at most 10 % off.
    private static let stepsPerOctave = 4.0
    private static let shortest = 1e-5
    private static let steps = 96
    /// The counts are halved at this weight.
    private static let most = 8192

    private var counts = [Int](repeating: 0, count: Self.steps)
    private var weight = 0
    /// Number of recorded durations.
    package private(set) var count = 0

    package init() {}

    /// - Parameter seconds: Negative values and NaN count as 0.
    package mutating func record(_ seconds: Double) {
        let octaves = seconds > Self.shortest ? log2(seconds / Self.shortest) : 0
        counts[Int(min(octaves * Self.stepsPerOctave, Double(Self.steps - 1)))] += 1
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
}
