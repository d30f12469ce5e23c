package import Flare
import Glibc
import Text

/// A moment of the sun that each day has outside of polar day and night.
package enum SunEvent: String, Sendable, Hashable, CaseIterable {
    case sunrise, sunset
}

/// When the sun rises and sets.
///
/// Accurate to a minute up to 65° of latitude; towards the poles the sun moves along the horizon, and the
/// air's refraction decides.
/// - Source: NOAA Global Monitoring Laboratory, "General Solar Position Calculations" and its spreadsheets,
///   which follow Meeus, "Astronomical Algorithms"; contrib/contract/rules.md, "Schedules".
package enum Sun {
    /// Degrees between the zenith and the sun's centre when its upper limb is seen at the horizon.
    package static let zenith = 90.833

    /// An event of a date, milliseconds since 1970, rounded to seconds.
    ///
    /// A date's events are those before and after the noon of the sun that is nearest to noon on the clock.
    /// In the far north the sunset of a date may be after its midnight.
    /// - Returns: `nil` if the sun does not rise or set then, and at a place that is not on the earth.
    package static func instant(
        of event: SunEvent,
        on date: CivilDate,
        in zone: ZoneTable,
        at place: GeoPoint
    ) -> Int64? {
        instant(of: event, onDay: date.dayNumber, in: zone, at: place)
    }

    /// - Parameter day: Days since 1970-01-01.
    static func instant(of event: SunEvent, onDay day: Int, in zone: ZoneTable, at place: GeoPoint) -> Int64?
    {
        guard place.isValid else { return nil }
        let noon = meanNoon(onDay: day, in: zone, at: place)
        // With the sun's position at noon first, then with that at the event, until it stays.
        var minutes = noon
        for _ in 0..<4 {
            let position = SunPosition(at: minutes)
            guard let angle = hourAngle(position.declination, latitude: place.latitude) else { return nil }
            let fromNoon = 4 * (event == .sunrise ? -angle : angle)
            let before = minutes
            minutes = noon - position.equationOfTime + fromNoon
            // The next step would be some hundred times shorter.
            if abs(minutes - before) < 0.5 { break }
        }
        return Int64((minutes * 60).rounded()) * 1000
    }

    /// Between which instants an event of a day is, if there is one; fast.
    static func limits(
        of event: SunEvent,
        onDay day: Int,
        in zone: ZoneTable,
        at place: GeoPoint
    ) -> ClosedRange<Int64> {
        guard place.isValid else { return 0...0 }
        let noon = Int64(meanNoon(onDay: day, in: zone, at: place) * 60) * 1000
        // Half a day from the sun's noon, which is at most 17 minutes from that of the mean sun.
        let (half, margin): (Int64, Int64) = (43_200_000, 1_200_000)
        return event == .sunrise
            ? noon - half - margin...noon + margin : noon - margin...noon + half + margin
    }

    /// The noon of the mean sun that is nearest to noon on the clock, minutes since 1970.
    private static func meanNoon(onDay day: Int, in zone: ZoneTable, at place: GeoPoint) -> Double {
        let noon = Double(zone.instant(ofLocal: Int64(day) * ZoneTable.day + ZoneTable.day / 2)) / 60_000
        let mean = noon - 720 + 4 * place.longitude
        return noon + (mean / 1440).rounded() * 1440 - mean
    }

    /// Degrees that the earth turns between the event and the sun's noon.
    private static func hourAngle(_ declination: Double, latitude: Double) -> Double? {
        let latitude = latitude * .pi / 180
        let cosine =
            cos(zenith * .pi / 180) / (cos(latitude) * cos(declination)) - tan(latitude) * tan(declination)
        guard abs(cosine) <= 1 else { return nil }
        return acos(cosine) * 180 / .pi
    }
}

/// Where the sun is at an instant.
private struct SunPosition {
    /// Angle above the equator, radians.
    let declination: Double
    /// How far a sundial is ahead of a clock, minutes.
    let equationOfTime: Double

    /// - Parameter minutes: Since 1970 UTC.
    init(at minutes: Double) {
        let radians = Double.pi / 180
        // Centuries since 2000-01-01T12:00:00Z.
        let t = (minutes / 1440 - 10_957.5) / 36_525
        let longitude = (280.46646 + t * (36_000.76983 + t * 0.0003032)) * radians
        let anomaly = (357.52911 + t * (35_999.05029 - 0.0001537 * t)) * radians
        let eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t)
        let centre =
            sin(anomaly) * (1.914602 - t * (0.004817 + 0.000014 * t))
            + sin(2 * anomaly) * (0.019993 - 0.000101 * t) + sin(3 * anomaly) * 0.000289
        let node = (125.04 - 1934.136 * t) * radians
        let apparent = longitude + (centre - 0.00569 - 0.00478 * sin(node)) * radians
        let seconds = 21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))
        let obliquity = (23 + (26 + seconds / 60) / 60 + 0.00256 * cos(node)) * radians
        declination = asin(sin(obliquity) * sin(apparent))
        let half = tan(obliquity / 2)
        let y = half * half
        let equation =
            y * sin(2 * longitude) - 2 * eccentricity * sin(anomaly)
            + 4 * eccentricity * y * sin(anomaly) * cos(2 * longitude)
            - y * y / 2 * sin(4 * longitude) - 1.25 * eccentricity * eccentricity * sin(2 * anomaly)
        equationOfTime = 4 * equation / radians
    }
}
