import Flare
import Foundation
import Rules
import SeededRandom
import Testing
import Text

struct SunTests {
    /// The sun's height by the clock of the stars, independent of the equation of time.
    ///
    /// - Source: The Astronomical Almanac for 2019, page C5, "Low-precision formulas for the sun's coordinates"; USNO,
    ///   "Approximate sidereal time".
    private static func height(at instant: Int64, _ place: GeoPoint) -> Double {
        let radians = Double.pi / 180
        let days = Double(instant) / 86_400_000 - 10_957.5
        let anomaly = (357.529 + 0.98560028 * days) * radians
        let longitude =
            (280.459 + 0.98564736 * days + 1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)) * radians
        let obliquity = (23.439 - 0.00000036 * days) * radians
        let ascension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
        let declination = asin(sin(obliquity) * sin(longitude))
        let stars = (18.697374558 + 24.06570982441908 * days) * 15 * radians
        let hourAngle = stars + place.longitude * radians - ascension
        let latitude = place.latitude * radians
        let sine = sin(latitude) * sin(declination) + cos(latitude) * cos(declination) * cos(hourAngle)
        return asin(sine) / radians
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> GeoPoint {
        GeoPoint(latitude: latitude, longitude: longitude)
    }

    /// How far the sun's height at an event is from the horizon, in seconds of its way.
    private static func error(_ event: SunEvent, at instant: Int64, _ place: GeoPoint) -> Double {
        let rate = (height(at: instant + 30_000, place) - height(at: instant - 30_000, place)) / 60
        #expect(event == .sunrise ? rate > 0 : rate < 0)
        return abs((height(at: instant, place) + 0.833) / rate)
    }

    @Test func `events are right to a minute below 65 degrees of latitude`() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<2_000 {
            let place = Self.place(
                Double(random.number(below: 130_000)) / 1000 - 65,
                Double(random.number(below: 360_000)) / 1000 - 180
            )
            let zone = try #require(ZoneTable(offset: Int((place.longitude / 15).rounded()) * 3600))
            let date = CivilDate(dayNumber: 9_000 + random.number(below: 25_000))
            for event in SunEvent.allCases {
                let instant = try #require(Sun.instant(of: event, on: date, in: zone, at: place))
                #expect(Self.error(event, at: instant, place) < 45, "\(event) \(date) \(place)")
                let distance = instant - zone.instant(of: date, try #require(TimeOfDay("12:00:00")))
                #expect(abs(distance) < 14 * 3_600_000)
                #expect(event == .sunrise ? distance < 0 : distance > 0)
            }
        }
    }

    @Test(arguments: [
        (51.5074, -0.1278, 3600, "2024-06-21", "04:43", "21:21"),
        (52.52, 13.405, 3600, "2024-12-21", "08:15", "15:54"),
        (-33.8688, 151.2093, 39_600, "2024-12-21", "05:41", "20:05"),
        (38.9072, -77.0369, -14_400, "2024-06-20", "05:43", "20:37"),
    ])
    func `events equal published ones`(
        _ latitude: Double,
        _ longitude: Double,
        _ offset: Int,
        _ date: String,
        _ sunrise: String,
        _ sunset: String
    ) throws {
        let zone = try #require(ZoneTable(offset: offset))
        let date = try #require(CivilDate(date))
        for (event, published) in [(SunEvent.sunrise, sunrise), (.sunset, sunset)] {
            let place = Self.place(latitude, longitude)
            let instant = try #require(Sun.instant(of: event, on: date, in: zone, at: place))
            let expected = zone.instant(of: date, try #require(TimeOfDay("\(published):00")))
            // Published times are rounded to minutes.
            #expect(abs(instant - expected) <= 90_000, "\(zone.local(at: instant))")
        }
    }

    @Test func `polar day and polar night have no events`() throws {
        for latitude in [70.0, 80, 90, -70, -80, -90] {
            for date in ["2026-06-21", "2026-12-21"] {
                let date = try #require(CivilDate(date))
                for event in SunEvent.allCases {
                    #expect(Sun.instant(of: event, on: date, in: .utc, at: Self.place(latitude, 20)) == nil)
                }
            }
        }
    }

    @Test func `a place that is not on the earth has no events`() throws {
        let date = try #require(CivilDate("2026-03-20"))
        for place in [Self.place(91, 0), Self.place(0, 181), Self.place(.nan, 0), Self.place(0, .infinity)] {
            #expect(Sun.instant(of: .sunrise, on: date, in: .utc, at: place) == nil)
        }
    }

    @Test(arguments: [
        (21.0, -157.0, -36_000), (-13.8, -171.8, 46_800), (-17.0, 178.0, 0), (64.1, -21.9, 0),
        (1.9, -157.4, 50_400),
        (0.0, 180.0, 0), (0.0, -180.0, 0), (39.5, 76.0, 28_800),
    ])
    func `each date has its own events, a day after those before`(
        _ latitude: Double,
        _ longitude: Double,
        _ offset: Int
    )
        throws
    {
        let zone = try #require(ZoneTable(offset: offset))
        for event in SunEvent.allCases {
            var before: Int64?
            for day in 20_000..<20_800 {
                let date = CivilDate(dayNumber: day)
                let instant = try #require(
                    Sun.instant(of: event, on: date, in: zone, at: Self.place(latitude, longitude))
                )
                if let before { #expect(abs(instant - before - 86_400_000) < 6 * 60_000, "\(date)") }
                before = instant
            }
        }
    }
}
