import Flare
import Positioning
import Testing

struct WorldMagneticModelTests {
    private struct Value: Sendable {
        let year: Double
        let kilometres: Double
        let latitude: Double
        let longitude: Double
        let north: Double
        let east: Double
        let down: Double
        let inclination: Double
        let declination: Double

        init(
            _ year: Double,
            _ kilometres: Double,
            _ latitude: Double,
            _ longitude: Double,
            _ north: Double,
            _ east: Double,
            _ down: Double,
            _ inclination: Double,
            _ declination: Double
        ) {
            self.year = year
            self.kilometres = kilometres
            self.latitude = latitude
            self.longitude = longitude
            self.north = north
            self.east = east
            self.down = down
            self.inclination = inclination
            self.declination = declination
        }
    }

    /// The test values that were published with the model (WMM2025_TEST_VALUES.txt).
    private static let official: [Value] = [
        Value(2025.0, 0, 80, 0, 6521.6, 145.9, 54791.5, 83.21, 1.28),
        Value(2025.0, 0, 0, 120, 39677.8, -109.6, -10580.2, -14.93, -0.16),
        Value(2025.0, 0, -80, 240, 6117.5, 15751.9, -52022.5, -72.0, 68.78),
        Value(2025.0, 100, 80, 0, 6216.0, 92.4, 52598.8, 83.26, 0.85),
        Value(2025.0, 100, 0, 120, 37688.6, -96.2, -10152.1, -15.08, -0.15),
        Value(2025.0, 100, -80, 240, 5907.6, 14780.3, -49540.7, -72.19, 68.21),
        Value(2027.5, 0, 80, 0, 6500.8, 294.5, 54869.4, 83.24, 2.59),
        Value(2027.5, 0, 0, 120, 39701.6, -167.4, -10381.8, -14.65, -0.24),
        Value(2027.5, 0, -80, 240, 6200.7, 15730.3, -51783.7, -71.92, 68.49),
        Value(2027.5, 100, 80, 0, 6196.7, 233.8, 52670.5, 83.29, 2.16),
        Value(2027.5, 100, 0, 120, 37711.5, -148.7, -9969.8, -14.81, -0.23),
        Value(2027.5, 100, -80, 240, 5984.0, 14760.1, -49317.7, -72.1, 67.93),
    ]

    @Test func `the published test values are met to their last digit`() throws {
        for value in Self.official {
            let place = GeoPoint(
                latitude: value.latitude,
                longitude: value.longitude > 180 ? value.longitude - 360 : value.longitude
            )
            let field = try #require(
                WorldMagneticModel.wmm2025.field(
                    at: place,
                    altitudeMetres: value.kilometres * 1000,
                    year: value.year
                )
            )
            #expect(abs(field.north - value.north) < 0.06, "\(value)")
            #expect(abs(field.east - value.east) < 0.06, "\(value)")
            #expect(abs(field.down - value.down) < 0.06, "\(value)")
            #expect(abs(field.inclination - value.inclination) < 0.006, "\(value)")
            #expect(abs(field.declination - value.declination) < 0.006, "\(value)")
        }
    }

    /// Degrees according to pygeomag 1.1.0, an independent implementation, at 50 m.
    @Test(arguments: [
        (2025.5, 52.52, 13.405, 5.008), (2029.9, 52.52, 13.405, 5.604), (2025.5, 40.71, -74.01, -12.512),
        (2029.9, -33.87, 151.21, 12.895), (2029.9, 35.68, 139.69, -8.055), (2025.5, -34.6, -58.38, -10.1),
        (2029.9, 64.15, -21.94, -10.124), (2029.9, 1.35, 103.82, 0.333), (2025.5, -1.29, 36.82, 0.339),
        (2029.9, 61.22, -149.9, 13.105), (2025.5, 28.61, 77.21, 1.305),
    ])
    func `declinations agree with an independent implementation`(
        _ year: Double,
        _ latitude: Double,
        _ longitude: Double,
        _ expected: Double
    ) throws {
        let place = GeoPoint(latitude: latitude, longitude: longitude)
        let declination = try #require(WorldMagneticModel.wmm2025.declination(at: place, year: year))
        #expect(abs(declination - expected) < 0.001)
    }

    @Test func `every place has a field, and near the magnetic poles no declination`() throws {
        let model = WorldMagneticModel.wmm2025
        for latitude in stride(from: -90.0, through: 90, by: 10) {
            for longitude in stride(from: -180.0, through: 180, by: 20) {
                let place = GeoPoint(latitude: latitude, longitude: longitude)
                let field = try #require(model.field(at: place, year: 2027))
                #expect((20_000...70_000).contains(field.strength), "\(place)")
            }
        }
        // Both are currently about 140° from Greenwich.
        #expect(model.declination(at: GeoPoint(latitude: 85.8, longitude: 139), year: 2025) == nil)
        #expect(model.declination(at: GeoPoint(latitude: -63.9, longitude: 135), year: 2025) == nil)
    }

    @Test func `an invalid location or year has no field`() {
        let model = WorldMagneticModel.wmm2025
        let here = GeoPoint(latitude: 50, longitude: 10)
        for place in [
            GeoPoint(latitude: .nan, longitude: 0), GeoPoint(latitude: 91, longitude: 0),
            GeoPoint(latitude: 0, longitude: .infinity),
        ] { #expect(model.field(at: place, year: 2026) == nil) }
        for year in [Double.nan, .infinity, 0, 9999] { #expect(model.field(at: here, year: year) == nil) }
        #expect(model.field(at: here, altitudeMetres: .nan, year: 2026) == nil)
    }

    @Test func `times are converted to years with fractions`() {
        #expect(abs(WorldMagneticModel.year(secondsSince1970: 1_767_225_600) - 2026) < 0.003)
        #expect(abs(WorldMagneticModel.year(secondsSince1970: 1_782_950_400) - 2026.5) < 0.003)
    }
}

struct DeclinationTests {
    private let berlin = GeoPoint(latitude: 52.52, longitude: 13.405)

    @Test func `headings do not change while there is no declination`() {
        var declination = Declination(nil)
        let asked = declination.setLocation(berlin, year: 2026)
        #expect(asked == nil)
        #expect(declination.heading(90, from: .magnetic) == 90)
        #expect(Declination(.automatic).heading(90, from: .magnetic) == 90)
    }

    @Test func `only magnetic headings are corrected, also across north`() {
        let declination = Declination(.fixed(-12.5))
        #expect(declination.heading(90, from: .magnetic) == 77.5)
        #expect(declination.heading(2.5, from: .magnetic) == 350)
        #expect(declination.heading(90, from: .geographic) == 90)
        #expect(declination.heading(90, from: .unspecified) == 90)
    }

    @Test func `the declination is computed again at another place or time`() throws {
        var declination = Declination(.automatic)
        let asked = declination.setLocation(berlin, year: 2026)
        let first = try #require(asked)
        #expect((5.0...5.3).contains(first))
        #expect(declination.heading(359, from: .magnetic) == (359 + first - 360))
        #expect(declination.setLocation(GeoPoint(latitude: 52.5, longitude: 13.4), year: 2026.001) == nil)
        #expect(declination.setLocation(GeoPoint(latitude: 40.71, longitude: -74.01), year: 2026.001) != nil)
        #expect(declination.heading(90, from: .magnetic) < 80)
        #expect(declination.setLocation(GeoPoint(latitude: .nan, longitude: 0), year: 2027) == nil)
        #expect(declination.heading(90, from: .magnetic) < 80)
    }

    @Test func `near the magnetic pole the declination is unknown`() {
        var declination = Declination(.automatic)
        #expect(declination.setLocation(berlin, year: 2026) != nil)
        #expect(declination.setLocation(GeoPoint(latitude: 85.8, longitude: 139), year: 2026) == nil)
        #expect(declination.heading(90, from: .magnetic) == 90)
    }

    @Test func `the model is valid until 2030`() {
        #expect(!Declination(.automatic).isOutdated(in: 2029.99))
        #expect(Declination(.automatic).isOutdated(in: 2030))
        #expect(Declination(.automatic).isOutdated(in: 2024.9), "a clock that was never set")
        #expect(!Declination(.fixed(1)).isOutdated(in: 2040))
    }

    @Test func `a declination setting is auto or degrees`() {
        #expect(DeclinationSetting("auto") == .automatic)
        #expect(DeclinationSetting("-3.5") == .fixed(-3.5))
        #expect(DeclinationSetting("-3.50").map { "\($0)" } == "-3.5")
        #expect("\(DeclinationSetting.automatic)" == "auto" && "\(DeclinationSetting.fixed(4))" == "4")
        for text in ["", "none", "181", "nan", "inf", "Auto", "0x10"] {
            #expect(DeclinationSetting(text) == nil)
        }
    }
}

struct HeadingChoiceTests {
    @Test func `a lower-ranked compass is used after the higher-ranked one is silent for a while`() {
        var choice = HeadingChoice()
        let words: [(rank: Int, time: Double, counts: Bool)] = [
            (2, 0, true), (0, 1, true), (2, 2, false), (1, 3.9, false), (1, 4.1, true), (2, 4.2, false),
            (2, 8, true), (0, 9, true),
            // The clock was set back.
            (2, 0.5, true),
        ]
        for word in words {
            let isAdmitted = choice.admits(rank: word.rank, at: word.time)
            #expect(isAdmitted == word.counts, "\(word)")
        }
    }
}
