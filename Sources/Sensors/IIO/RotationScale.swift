import Positioning

/// Detects the unit of a sensor hub's heading.
///
/// Drivers do not state it, and `in_rot_scale` often contains the magnetometer's scale. When a heading passes
/// north it jumps between 0 and 360 degrees: the size of the jump gives the unit.
/// - Source: contrib/contract/positioning.md, "8.1 Compasses of the kernel".
package struct RotationScale: Sendable {
    /// Degrees per step; `nil` while unknown.
    package private(set) var degrees: Double?

    private let configured: Double?
    private let stated: Double?
    private var largest = 0.0
    private var previous: Double?
    /// Recent values, without near duplicates.
    private var recent: [Double] = []

    /// A full circle as measured by a jump: reduced by the turn between two readings.
    private static let circle = 300.0...361.0
    /// A jump is evaluated when at least this many of twelve sectors were seen before.
    private static let neededSectors = 8
    private static let mostRecent = 200
    private static let powers = [10, 1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]

    /// - Parameters:
    ///   - configured: The user's setting.
    ///   - stated: The driver's scale.
    package init(configured: Double?, stated: Double?) {
        self.configured = configured
        self.stated = stated
        degrees = configured
    }

    /// The heading, 0 up to 360; `nil` while the unit is unknown.
    package mutating func heading(_ raw: Double, offset: Double) -> Double? {
        let raw = raw + offset
        guard raw.isFinite else { return nil }
        if configured == nil { learn(raw) }
        guard let degrees, raw >= 0 || configured != nil else { return nil }
        let heading = raw * degrees
        // A larger value is no heading in this unit.
        return heading.magnitude <= 720 ? CompassAngle.normalised(heading) : nil
    }

    private mutating func learn(_ raw: Double) {
        largest = max(largest, raw)
        defer { previous = raw }
        if let degrees, largest * degrees > Self.circle.upperBound { self.degrees = nil }
        guard let previous, largest > 0 else { return }
        if (raw - (recent.last ?? .infinity)).magnitude > 0.01 * largest {
            recent.append(raw)
            if recent.count > Self.mostRecent { recent.removeFirst() }
        }
        guard (raw - previous).magnitude > 0.8 * largest else { return }
        let sectors = Set(recent.map { ($0 / largest * 12).rounded(.down) })
        guard sectors.count >= Self.neededSectors else { return }
        degrees = ([stated].compactMap { $0 } + Self.powers).first { Self.circle.contains(largest * $0) }
    }
}
