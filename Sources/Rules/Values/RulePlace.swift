package import Flare

/// Where one comes in and goes out.
/// - Source: contrib/contract/rules.md, "State and places".
package enum RulePlace: Sendable, Hashable {
    case circle(RuleCircle)
    case beacon(RuleBeacon)
    case zone(RuleReference)
}

/// A circle on the earth, the geofence of a rule.
package struct RuleCircle: Sendable, Hashable {
    package let centre: GeoPoint
    /// Metres, within ``RuleLimits/radius``.
    package let radius: Double

    package init(centre: GeoPoint, radius: Double) { (self.centre, self.radius) = (centre, radius) }

    /// Whether a location within the circle is inside: the border is.
    package func contains(_ location: GeoPoint) -> Bool { centre.metres(to: location) <= radius }

    /// Whether a location is far enough outside for having left the circle.
    ///
    /// - Parameter accuracy: Metres by which the location may be wrong.
    package func isLeft(at location: GeoPoint, accuracy: Double) -> Bool {
        // NaN has no maximum, so a fix without accuracy must not decide.
        let accuracy = accuracy.isFinite ? max(0, accuracy) : 0
        return centre.metres(to: location) > radius + max(20, radius / 10, accuracy)
    }
}

/// Beacons that are heard well enough.
package struct RuleBeacon: Sendable, Hashable {
    package let name: BeaconName
    /// dBm that are needed to come in; any, if there is none.
    package let rssi: Int?
    /// Seconds unheard after which one is out.
    package let gone: Int64

    package static let defaultGone: Int64 = 60

    package init(_ name: BeaconName, rssi: Int? = nil, gone: Int64 = RuleBeacon.defaultGone) {
        (self.name, self.rssi, self.gone) = (name, rssi, gone)
    }
}
