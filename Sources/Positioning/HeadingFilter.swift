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
        guard heading.isFinite else { return nil }
        let turned = heading.truncatingRemainder(dividingBy: 360)
        if let degrees {
            let difference = abs(turned - Double(degrees)).truncatingRemainder(dividingBy: 360)
            guard min(difference, 360 - difference) > Self.hysteresis else { return nil }
        }
        let positive = turned < 0 ? turned + 360 : turned
        let rounded = Int((positive / Self.step).rounded() * Self.step) % 360
        guard rounded != degrees else { return nil }
        degrees = rounded
        return rounded
    }
}
