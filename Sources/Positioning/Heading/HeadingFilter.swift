/// Compass degrees as they are passed on: rounded to steps, and steady between two of them.
///
/// The rounded value changes only when the true one is more than 0.7 steps from it; it is rounded to half a step.
/// - Source: flare-protocol 10.3; positioning 8.
package struct HeadingFilter: Sendable, Hashable {
    /// 0 up to 359, clockwise from north, in steps; `nil` before the first.
    package private(set) var degrees: Int?

    private let step: Double
    private static let hysteresis = 0.7

    /// - Parameter step: Degrees, a divisor of 360.
    package init(step: Int = 5) { self.step = Double(step) }

    /// Hears a heading in degrees; the rounded value if it changed.
    package mutating func hear(_ heading: Double) -> Int? {
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
