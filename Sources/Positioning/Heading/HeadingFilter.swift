/// Rounds headings to steps for publication, with hysteresis.
///
/// The rounded value changes only when the heading is more than 0.7 steps from it.
/// - Source: contrib/contract/flare-protocol.md, "10.3 Behaviour"; contrib/contract/positioning.md,
///   "8. Compass and GPS".
package struct HeadingFilter: Sendable, Hashable {
    /// 0 up to 359, clockwise from north, a multiple of the step; `nil` before the first heading.
    package private(set) var degrees: Int?

    private let step: Double
    private static let hysteresis = 0.7

    /// - Parameter step: Degrees, a divisor of 360.
    package init(step: Int = 5) { self.step = Double(step) }

    /// Adds a heading in degrees and returns the rounded value if it changed.
    package mutating func update(with heading: Double) -> Int? {
        guard let heading = CompassAngle.normalised(heading) else { return nil }
        if let degrees {
            let difference = CompassAngle.difference(from: Double(degrees), to: heading)
            guard difference.magnitude > Self.hysteresis * step else { return nil }
        }
        // In steps of 5°, 357.5° and more round to 360°, which is 0°.
        let rounded = Int((heading / step).rounded() * step) % 360
        guard rounded != degrees else { return nil }
        degrees = rounded
        return rounded
    }
}
