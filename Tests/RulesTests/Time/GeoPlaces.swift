import Flare
import SeededRandom

/// Random places on the earth.
enum GeoPlaces {
    static func random(_ random: inout SplitMix64) -> GeoPoint {
        GeoPoint(
            latitude: Double(random.number(below: 181)) - 90,
            longitude: Double(random.number(below: 361)) - 180
        )
    }
}
