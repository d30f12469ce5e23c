import Glibc

/// What one beacon is heard with at a known distance, from which its level at one metre follows.
///
/// The mean of the middle: levels jump by the multiple ways of a room, and a few packets are far off.
/// - Source: Apple, Getting Started with iBeacon, calibration: ten seconds at one metre, without the outliers.
package struct BeaconPowerSamples: Sendable, Hashable {
    /// What came of them.
    package struct Measurement: Sendable, Hashable {
        /// At one metre, whole dBm as a beacon itself would say it.
        package let power: Int
        /// Half of the middle two thirds, dB.
        package let spread: Double
        package let packets: Int
    }

    /// Why nothing came of them.
    package enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case tooFew(Int)
        case unsteady(spread: Double)
        case implausible(power: Int)

        package var description: String {
            switch self {
            case .tooFew(let count):
                "only \(count) of its packets were heard, and \(BeaconPowerSamples.fewest) are needed: is it there, "
                    + "and does it send? One that sends seldom needs longer (--seconds)"
            case .unsteady(let spread):
                "its level varies by \((spread * 10).rounded() / 10) dB, and "
                    + "\(BeaconPowerSamples.widestSpread) are the most: hold still, in free view of it"
            case .implausible(let power):
                "\(power) dBm at one metre is no level of a beacon: is this the right one, at the right distance?"
            }
        }
    }

    package static let fewest = 10
    package static let widestSpread = 8.0
    /// Of each end, what is left out.
    private static let trimmed = 0.1
    private static let most = 100_000
    private static let plausible = -100 ... -20

    private var levels: [Int] = []

    package init() {}

    package var count: Int { levels.count }

    /// Takes in a packet; a level that cannot be true is passed over.
    package mutating func hear(_ rssi: Int) {
        if BeaconSighting.isUsable(rssi: rssi), levels.count < Self.most { levels.append(rssi) }
    }

    /// - Parameters:
    ///   - distance: From the beacon to the device, metres, above 0.
    ///   - exponent: How fast the radio fades with distance.
    package func measurement(at distance: Double, exponent: Double) -> Result<Measurement, Problem> {
        guard levels.count >= Self.fewest else { return .failure(.tooFew(levels.count)) }
        let sorted = levels.sorted()
        let left = Int(Double(sorted.count) * Self.trimmed)
        let middle = sorted[left..<(sorted.count - left)]
        let mean = Double(middle.reduce(0, +)) / Double(middle.count)
        let spread = Double(sorted[sorted.count * 5 / 6] - sorted[sorted.count / 6]) / 2
        guard spread <= Self.widestSpread else { return .failure(.unsteady(spread: spread)) }
        let power = Int((mean + 10 * exponent * log10(max(distance, 0.01))).rounded())
        guard Self.plausible.contains(power) else { return .failure(.implausible(power: power)) }
        return .success(Measurement(power: power, spread: spread, packets: levels.count))
    }
}
