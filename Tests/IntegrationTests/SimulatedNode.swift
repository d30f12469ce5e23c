import Foundation

/// How a node of ESPresense makes reports of the packets that it hears from one device.
///
/// - Source: ESPresense, BleFingerprint.cpp, `seen`, `fill` and `report`, of versions 3.3 and 4; defaults.h.
struct SimulatedNode {
    enum Version: Sendable { case three, four }

    /// At one metre, dBm.
    private static let power = -59
    private static let absorption = 2.7
    /// Metres; nothing is reported of a device beyond.
    private static let farthest = 16.0
    /// A device that has moved less than `skipMetres` is reported every `skipSeconds`.
    private static let (skipMetres, skipSeconds) = (0.5, 5.0)
    private static let windowSeconds = 15.0

    private let version: Version
    private var packets: [(time: Double, rssi: Int)] = []
    private var firstAt: Double?
    private var count = 0
    private var distance: Double?
    private var reported: (time: Double, distance: Double)?

    init(_ version: Version) { self.version = version }

    /// Hears a packet; the members of a report, as JSON, if it makes one.
    mutating func hear(_ rssi: Int, at time: Double) -> [(name: String, value: String)]? {
        let began = firstAt ?? time
        firstAt = began
        count += 1
        packets.append((time, rssi))
        let members =
            switch version {
            case .three: reportOfThree(at: time)
            case .four: reportOfFour(at: time)
            }
        guard let members else { return nil }
        let interval = Int((time - began) * 1000 / Double(count))
        return [("rssi@1m", "\(Self.power)")] + members + [("int", "\(interval)")]
    }

    /// The middle one of three packets, and a smoothed distance: at once if that has changed.
    private mutating func reportOfThree(at time: Double) -> [(name: String, value: String)]? {
        packets = packets.suffix(3)
        let levels = packets.map(\.rssi).sorted()
        let level = levels[levels.count / 2]
        let raw = Self.metres(Double(level))
        let smooth = distance.map { $0 + (raw - $0) * 0.4 } ?? raw
        distance = smooth
        guard smooth <= Self.farthest else { return nil }
        if let reported, abs(smooth - reported.distance) < Self.skipMetres,
            time - reported.time < Self.skipSeconds
        {
            return nil
        }
        reported = (time, smooth)
        return [("rssi", "\(level)"), ("raw", Self.text(raw)), ("distance", Self.text(smooth))]
    }

    /// The mean of 15 seconds without its outliers: every five seconds, and the earlier the farther the device has moved.
    private mutating func reportOfFour(at time: Double) -> [(name: String, value: String)]? {
        packets.removeAll { time - $0.time > Self.windowSeconds }
        let levels = packets.map { Double($0.rssi) }.sorted()
        let (low, high) = (Self.quantile(0.25, of: levels), Self.quantile(0.75, of: levels))
        let reach = 1.5 * (high - low)
        let level = Self.mean(levels.filter { $0 >= low - reach && $0 <= high + reach })
        let metres = Self.metres(level)
        guard metres <= Self.farthest else { return nil }
        if let reported {
            let due = ((reported.time / Self.skipSeconds).rounded(.down) + 1) * Self.skipSeconds
            let moved = abs(metres - reported.distance)
            let part = min(10, max(2, 10 - (moved / Self.skipMetres).rounded()))
            let early = moved < Self.skipMetres ? 0 : Self.skipSeconds / part
            guard time >= due - early else { return nil }
        }
        reported = (time, metres)
        return [
            ("rssi", Self.text(level)), ("rxAdj", "0"), ("rssiVar", Self.text(Self.variance(levels))),
            ("distance", Self.text(metres)), ("var", Self.text(Self.variance(levels.map(Self.metres)))),
        ]
    }

    private static func metres(_ level: Double) -> Double {
        pow(10, (Double(power) - level) / (10 * absorption))
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    private static func variance(_ values: [Double]) -> Double {
        let mean = mean(values)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    }

    private static func quantile(_ part: Double, of sorted: [Double]) -> Double {
        let place = part * Double(sorted.count - 1)
        let index = Int(place)
        let fraction = place - Double(index)
        guard index + 1 < sorted.count else { return sorted[index] }
        return sorted[index] * (1 - fraction) + sorted[index + 1] * fraction
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}
