import Glibc

/// Received levels of one beacon at a known distance, from which its level at one metre is computed.
///
/// A trimmed mean: multipath makes levels jump, and a few packets are far off.
/// - Source: Apple, Getting Started with iBeacon, calibration: ten seconds at one metre, without the outliers.
package struct BeaconPowerSamples: Sendable, Hashable {
    /// The result.
    package struct Measurement: Sendable, Hashable {
        /// At one metre, whole dBm, as a beacon transmits it.
        package let power: Int
        /// Half the range of the middle two thirds, dB.
        package let spread: Double
        package let packets: Int
    }

    /// Why the samples gave no result.
    package enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case tooFew(Int)
        case unsteady(spread: Double)
        case implausible(power: Int)

        package var description: String {
            switch self {
            case .tooFew(let count):
                "received only \(count) packets, \(BeaconPowerSamples.fewest) are needed: check that the beacon is on and near; "
                    + "for one that transmits rarely, measure longer (--seconds)"
            case .unsteady(let spread):
                "the level varies by \((spread * 10).rounded() / 10) dB, at most "
                    + "\(BeaconPowerSamples.widestSpread) are allowed: hold still, with a clear view of the beacon"
            case .implausible(let power):
                "\(power) dBm at one metre is not plausible for a beacon: check that it is the right one, at the right distance"
            }
        }
    }

    package static let fewest = 10
    package static let widestSpread = 8.0
    /// The part that is left out at each end.
    private static let trimmed = 0.1
    private static let most = 100_000
    private static let plausible = -100 ... -20

    private var levels: [Int] = []

    package init() {}

    /// Adds a packet's received power; unusable values are ignored.
    package mutating func add(_ rssi: Int) {
        if BeaconSighting.isUsable(rssi: rssi), levels.count < Self.most { levels.append(rssi) }
    }

    /// - Parameters:
    ///   - distance: From the beacon to the device, metres, above 0.
    ///   - exponent: The path loss exponent.
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
