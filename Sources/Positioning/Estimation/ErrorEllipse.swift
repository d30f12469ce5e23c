import Glibc

/// The error ellipse of a position in the plane.
/// - Source: contrib/contract/positioning.md, "6.5 Accuracy and ellipse".
package struct ErrorEllipse: Sendable, Hashable {
    /// Semi-axes for one standard deviation, metres.
    package var majorMetres: Double
    package var minorMetres: Double
    /// Angle of the longer axis against the x axis, counter-clockwise, above −90 and up to 90.
    package var degrees: Double
}

/// Covariance of two coordinates, m².
struct Covariance: Sendable, Hashable {
    var xx: Double
    var xy: Double
    var yy: Double

    static func + (one: Covariance, other: Covariance) -> Covariance {
        Covariance(xx: one.xx + other.xx, xy: one.xy + other.xy, yy: one.yy + other.yy)
    }

    /// Root mean square distance from the mean, metres.
    var accuracyMetres: Double { max(xx + yy, 0).squareRoot() }

    var ellipse: ErrorEllipse {
        let middle = (xx + yy) / 2
        let half = hypot((xx - yy) / 2, xy)
        let degrees = half > 0 ? atan2(xy, (xx - yy) / 2) * 90 / .pi : 0
        return ErrorEllipse(
            majorMetres: max(middle + half, 0).squareRoot(),
            minorMetres: max(middle - half, 0).squareRoot(),
            degrees: degrees
        )
    }
}
