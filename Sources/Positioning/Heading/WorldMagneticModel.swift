package import Flare
import Glibc

/// The earth's magnetic field at a location and time, without the influence of buildings.
///
/// - Source: The US/UK World Magnetic Model for 2025-2030, technical report, section 1.2.
package struct WorldMagneticModel: Sendable {
    /// One line of the table, for a degree and an order of the expansion: g and h in nT, and how much they
    /// change in a year.
    typealias Coefficient = (degree: Int, order: Int, g: Double, h: Double, gDot: Double, hDot: Double)

    /// The field's components, nT.
    package struct Field: Sendable, Hashable {
        package var north: Double
        package var east: Double
        package var down: Double

        package var horizontal: Double { (north * north + east * east).squareRoot() }
        package var strength: Double { (horizontal * horizontal + down * down).squareRoot() }
        /// Degrees by which a compass needle points east of true north.
        package var declination: Double { CompassAngle.degrees(atan2(east, north)) }
        /// Degrees by which a compass needle points below the horizontal.
        package var inclination: Double { CompassAngle.degrees(atan2(down, horizontal)) }
    }

    package let name: String
    /// The year to which the coefficients belong.
    package let epoch: Double
    let coefficients: [Coefficient]

    private static let largestDegree = 12
    /// The ellipsoid and the sphere that the model refers to, metres.
    private static let semiMajorAxis = 6_378_137.0
    private static let flattening = 1 / 298.257223563
    private static let referenceRadius = 6_371_200.0
    /// Horizontal field below which a compass is unreliable, near the magnetic poles, nT.
    private static let leastHorizontal = 2000.0

    /// End of validity, in years: the model predicts how the field changes for five years.
    package var validUntil: Double { epoch + 5 }

    /// The field; `nil` when the location or the year is not valid or far out of range.
    package func field(at place: GeoPoint, altitudeMetres: Double = 0, year: Double) -> Field? {
        guard place.isValid, (-10_000...1_000_000).contains(altitudeMetres),
            (epoch - 100...epoch + 100).contains(year)
        else { return nil }
        // East and north are undefined exactly at the poles.
        let latitude = CompassAngle.radians(min(max(place.latitude, -89.9999), 89.9999))
        let longitude = CompassAngle.radians(place.longitude)
        let (radius, geocentric) = Self.geocentric(latitude, altitudeMetres)
        let field = sum(radius: radius, latitude: geocentric, longitude: longitude, years: year - epoch)
        let tilt = geocentric - latitude
        return Field(
            north: field.north * cos(tilt) - field.down * sin(tilt),
            east: field.east,
            down: field.north * sin(tilt) + field.down * cos(tilt)
        )
    }

    /// Degrees to add to a magnetic heading for a true one; `nil` also near the magnetic poles.
    package func declination(at place: GeoPoint, year: Double) -> Double? {
        guard let field = field(at: place, year: year), field.horizontal >= Self.leastHorizontal else {
            return nil
        }
        return field.declination
    }

    /// Distance from the earth's centre, metres, and latitude as seen from there, radians.
    private static func geocentric(_ latitude: Double, _ altitude: Double) -> (Double, Double) {
        let eccentricity = flattening * (2 - flattening)
        let sine = sin(latitude)
        let curvature = semiMajorAxis / (1 - eccentricity * sine * sine).squareRoot()
        let across = (curvature + altitude) * cos(latitude)
        let along = (curvature * (1 - eccentricity) + altitude) * sine
        let radius = (across * across + along * along).squareRoot()
        return (radius, asin(along / radius))
    }

    private func sum(radius: Double, latitude: Double, longitude: Double, years: Double) -> Field {
        let (values, slopes) = Self.legendre(sine: sin(latitude), cosine: cos(latitude))
        var field = Field(north: 0, east: 0, down: 0)
        let ratio = Self.referenceRadius / radius
        for line in coefficients {
            let g = line.g + years * line.gDot
            let h = line.h + years * line.hDot
            let order = Double(line.order)
            let (c, s) = (cos(order * longitude), sin(order * longitude))
            let power = pow(ratio, Double(line.degree + 2))
            let (value, slope) = (
                values[line.degree][line.order], slopes[line.degree][line.order]
            )
            field.north -= power * (g * c + h * s) * slope
            field.east += power * order * (g * s - h * c) * value / cos(latitude)
            field.down -= power * Double(line.degree + 1) * (g * c + h * s) * value
        }
        return field
    }

    /// Schmidt semi-normalised Legendre functions of a latitude, and their derivatives.
    private static func legendre(sine: Double, cosine: Double) -> (values: [[Double]], slopes: [[Double]]) {
        let size = largestDegree + 1
        var values = Array(repeating: Array(repeating: 0.0, count: size), count: size)
        var slopes = values
        values[0][0] = 1
        for n in 1..<size {
            for m in 0...n {
                let (degree, order) = (Double(n), Double(m))
                if n == m {
                    let factor = n == 1 ? 1 : ((2 * degree - 1) / (2 * degree)).squareRoot()
                    values[n][n] = factor * cosine * values[n - 1][n - 1]
                    slopes[n][n] =
                        factor * (cosine * slopes[n - 1][n - 1] - sine * values[n - 1][n - 1])
                } else {
                    let root = (degree * degree - order * order).squareRoot()
                    let before = n > m + 1 ? ((degree - 1) * (degree - 1) - order * order).squareRoot() : 0
                    let (older, olderSlope) = n > 1 ? (values[n - 2][m], slopes[n - 2][m]) : (0, 0)
                    let odd = 2 * degree - 1
                    values[n][m] = (odd * sine * values[n - 1][m] - before * older) / root
                    slopes[n][m] =
                        (odd * (sine * slopes[n - 1][m] + cosine * values[n - 1][m]) - before * olderSlope)
                        / root
                }
            }
        }
        return (values, slopes)
    }
}

extension WorldMagneticModel {
    /// Converts a time to a year with its fraction, as the model uses it.
    package static func year(secondsSince1970 seconds: Double) -> Double {
        // The mean length of a year is accurate to a day, in which the field hardly changes.
        1970 + seconds / 31_556_952
    }
}
