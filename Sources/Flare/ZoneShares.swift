/// How likely a device is in each zone, as an estimator believes.
package struct ZoneShares: Sendable, Hashable {
    /// From 0 to 1 each; zones with none may be left out.
    package let zones: [FlareID: Double]
    /// That it is in no zone.
    package let outside: Double

    package init(zones: [FlareID: Double], outside: Double) {
        self.zones = zones
        self.outside = outside
    }

    /// The share of a zone, or of being in none.
    package subscript(zone: FlareID?) -> Double {
        zone.map { zones[$0] ?? 0 } ?? outside
    }

    /// The zone with the largest share; `nil` where that is none.
    package var likeliest: FlareID? {
        guard let best = zones.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), best.value >= outside
        else { return nil }
        return best.key
    }
}
