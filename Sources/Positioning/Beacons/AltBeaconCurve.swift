import Glibc

/// Distance to a beacon from its received power, by the AltBeacon library's default curve.
/// - Source: contrib/contract/positioning.md, "3.1 From power to distance".
package enum AltBeaconCurve {
    /// Lower limit of every distance, metres: received power cannot resolve less, and it keeps 1/d² finite.
    package static let shortest = 0.1

    /// - Parameters:
    ///   - rssi: Received power, dBm, below 0.
    ///   - powerAtOneMetre: Calibrated power, dBm, below 0.
    /// - Returns: Metres, at least ``shortest``; `nil` for powers of 0 and above.
    package static func distance(rssi: Double, powerAtOneMetre: Double) -> Double? {
        guard rssi < 0, rssi.isFinite, powerAtOneMetre < 0 else { return nil }
        let ratio = rssi / powerAtOneMetre
        let metres = ratio < 1 ? pow(ratio, 10) : 0.89976 * pow(ratio, 7.7095) + 0.111
        return metres.isFinite ? max(metres, shortest) : nil
    }
}
