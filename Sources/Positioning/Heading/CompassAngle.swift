import Glibc

/// Arithmetic of angles in degrees.
package enum CompassAngle {
    /// The same direction from 0 up to, not including, 360; `nil` for NaN and infinity.
    package static func normalised(_ degrees: Double) -> Double? {
        guard degrees.isFinite else { return nil }
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        // A tiny negative number plus 360 is rounded to 360.
        return positive < 360 ? positive : 0
    }

    /// The shorter way from one direction to another, above -180 up to 180; clockwise is positive.
    package static func difference(from start: Double, to end: Double) -> Double {
        let turned = (end - start).truncatingRemainder(dividingBy: 360)
        return turned > 180 ? turned - 360 : turned <= -180 ? turned + 360 : turned
    }

    static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}

/// The reference direction of a heading.
package enum North: String, Sendable, Hashable, CaseIterable {
    /// Magnetic north.
    case magnetic
    /// Geographic north.
    case geographic = "true"
    /// The source does not define it; the heading is passed on unchanged.
    case unspecified = "told"
}

/// An exponentially smoothed direction.
///
/// Directions are averaged as points on a circle, so that the mean of 359° and 1° is 0°.
/// - Source: contrib/contract/positioning.md, "8. Compass and GPS".
package struct CircularSmoothing: Sendable, Hashable {
    private let timeConstant: Double
    private var point = SIMD2<Double>.zero
    private var hasStarted = false

    /// A mean shorter than this comes from directions that contradict each other.
    private static let leastLength = 0.5

    /// - Parameter timeConstant: Seconds after which about two thirds of a turn are followed.
    package init(timeConstant: Double) { self.timeConstant = timeConstant }

    /// Adds a direction that held for `seconds`.
    ///
    /// - Parameter weight: Below 1 for a direction that is less reliable.
    package mutating func add(_ degrees: Double, for seconds: Double, weight: Double = 1) {
        guard degrees.isFinite, seconds.isFinite, seconds >= 0 else { return }
        let angle = CompassAngle.radians(degrees)
        let direction = SIMD2(cos(angle), sin(angle))
        if hasStarted {
            point += (direction - point) * ((1 - exp(-seconds / timeConstant)) * min(max(weight, 0), 1))
        } else {
            point = direction
            hasStarted = true
        }
    }

    /// The mean direction, 0 up to 360; `nil` before the first, and when the directions contradict each
    /// other.
    package var degrees: Double? {
        guard hasStarted, (point * point).sum().squareRoot() >= Self.leastLength else { return nil }
        return CompassAngle.normalised(CompassAngle.degrees(atan2(point.y, point.x)))
    }
}
