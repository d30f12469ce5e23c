/// Compass degrees as they are passed on: rounded to 5°, and steady between two steps.
///
/// The rounded value changes only when the true one is more than 3.5° from it (half a step is 2.5°).
/// - Source: flare-protocol 10.3; positioning 8.
package struct HeadingFilter: Sendable, Hashable {
    /// 0, 5, … 355, clockwise from north; `nil` before the first.
    package private(set) var degrees: Int?

    private static let step = 5.0
    private static let hysteresis = 3.5

    package init() {}

    /// Hears a heading in degrees; the rounded value if it changed.
    package mutating func hear(_ heading: Double) -> Int? {
        guard let heading = CompassAngle.normalised(heading) else { return nil }
        if let degrees {
            let difference = CompassAngle.difference(from: Double(degrees), to: heading)
            guard difference.magnitude > Self.hysteresis else { return nil }
        }
        // 357.5° and more round to 360°, which is 0°.
        let rounded = Int((heading / Self.step).rounded() * Self.step) % 360
        guard rounded != degrees else { return nil }
        degrees = rounded
        return rounded
    }
}
