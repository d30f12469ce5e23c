import Positioning

/// The unit in which a sensor hub tells its heading.
///
/// Drivers do not name it, and what stands in `in_rot_scale` is often the magnetometer's. A heading that has gone through
/// north has been near 0 and near 360: what it leapt over tells the unit.
/// - Source: positioning 8.1.
package struct RotationScale: Sendable {
    /// Degrees for one step; `nil` while it is not known.
    package private(set) var degrees: Double?

    private let configured: Double?
    private let told: Double?
    private var largest = 0.0
    private var previous: Double?
    /// What was heard on the way, without what hardly differs.
    private var way: [Double] = []

    /// A full circle as a leap shows it: less by what was turned between two readings.
    private static let circle = 300.0...361.0
    /// A leap tells the circle when so many of twelve parts of it were gone through before.
    private static let neededParts = 8
    private static let longestWay = 200
    private static let powers = [10, 1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]

    /// - Parameters:
    ///   - configured: What a person says.
    ///   - told: What the driver says.
    package init(configured: Double?, told: Double?) {
        self.configured = configured
        self.told = told
        degrees = configured
    }

    /// The heading, 0 up to 360; `nil` while the unit is not known.
    package mutating func heading(_ raw: Double, offset: Double) -> Double? {
        let raw = raw + offset
        guard raw.isFinite else { return nil }
        if configured == nil { learn(raw) }
        guard let degrees, raw >= 0 || configured != nil else { return nil }
        let heading = raw * degrees
        // What is further out is no heading in this unit.
        return heading.magnitude <= 720 ? CompassAngle.normalised(heading) : nil
    }

    private mutating func learn(_ raw: Double) {
        largest = max(largest, raw)
        defer { previous = raw }
        if let degrees, largest * degrees > Self.circle.upperBound { self.degrees = nil }
        guard let previous, largest > 0 else { return }
        if (raw - (way.last ?? .infinity)).magnitude > 0.01 * largest {
            way.append(raw)
            if way.count > Self.longestWay { way.removeFirst() }
        }
        guard (raw - previous).magnitude > 0.8 * largest else { return }
        let parts = Set(way.map { ($0 / largest * 12).rounded(.down) })
        guard parts.count >= Self.neededParts else { return }
        degrees = ([told].compactMap { $0 } + Self.powers).first { Self.circle.contains(largest * $0) }
    }
}
