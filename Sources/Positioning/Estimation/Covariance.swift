/// Covariance of two coordinates, m².
/// - Source: contrib/contract/positioning.md, "6.5 Accuracy".
struct Covariance: Sendable, Hashable {
    var xx: Double
    var xy: Double
    var yy: Double

    static func + (one: Covariance, other: Covariance) -> Covariance {
        Covariance(xx: one.xx + other.xx, xy: one.xy + other.xy, yy: one.yy + other.yy)
    }

    /// Root mean square distance from the mean, metres.
    var accuracyMetres: Double { max(xx + yy, 0).squareRoot() }
}
