import Glibc

/// Arithmetic on the circle, in degrees.
package enum CompassAngle {
    /// The same direction from 0 up to, not including, 360; `nil` for what is no number.
    package static func normalised(_ degrees: Double) -> Double? {
        guard degrees.isFinite else { return nil }
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        // A tiny negative number turns to 360 itself.
        return positive < 360 ? positive : 0
    }

    /// The short way from one direction to another, -180 up to 180; clockwise is positive.
    package static func difference(from start: Double, to end: Double) -> Double {
        let turned = (end - start).truncatingRemainder(dividingBy: 360)
        return turned > 180 ? turned - 360 : turned <= -180 ? turned + 360 : turned
    }

    static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}

/// Where a heading counts from.
package enum North: String, Sendable, Hashable, CaseIterable {
    /// Where a compass needle points.
    case magnetic
    /// The pole of the earth's axis.
    case geographic = "true"
    /// What the sender calls north; it is passed on as it is.
    case asTold = "told"
}

/// A mean of directions that follows them slowly.
///
/// Directions are averaged as points on a circle, so that 359° and 1° have their middle at 0°.
/// - Source: positioning 8, smoothing.
package struct CircularSmoothing: Sendable, Hashable {
    private let timeConstant: Double
    private var point = SIMD2<Double>.zero
    private var isBegun = false

    /// Shorter means are of directions that contradict each other.
    private static let leastLength = 0.5

    /// - Parameter timeConstant: Seconds after which about two thirds of a turn are followed.
    package init(timeConstant: Double) { self.timeConstant = timeConstant }

    /// Takes in a direction that held for `seconds`.
    ///
    /// - Parameter weight: Less than 1 for a direction that is not trusted.
    package mutating func hear(_ degrees: Double, for seconds: Double, weight: Double = 1) {
        guard degrees.isFinite, seconds.isFinite, seconds >= 0 else { return }
        let angle = CompassAngle.radians(degrees)
        let heard = SIMD2(cos(angle), sin(angle))
        if isBegun {
            point += (heard - point) * ((1 - exp(-seconds / timeConstant)) * min(max(weight, 0), 1))
        } else {
            point = heard
            isBegun = true
        }
    }

    /// The mean direction, 0 up to 360; `nil` before the first, and when what was heard contradicts itself.
    package var degrees: Double? {
        guard isBegun, (point * point).sum().squareRoot() >= Self.leastLength else { return nil }
        return CompassAngle.normalised(CompassAngle.degrees(atan2(point.y, point.x)))
    }
}
