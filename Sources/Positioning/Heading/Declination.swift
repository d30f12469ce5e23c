package import Flare

/// Where the difference between magnetic and true north comes from.
package enum DeclinationSetting: Sendable, Hashable {
    /// Degrees, east positive.
    case fixed(Double)
    /// From the place, through the World Magnetic Model.
    case automatic

    /// From `auto` or degrees; `nil` for any other text.
    package init?(_ text: String) {
        if text == "auto" {
            self = .automatic
        } else if let degrees = DecimalText.number(text), degrees.magnitude <= 180 {
            self = .fixed(degrees)
        } else {
            return nil
        }
    }
}

extension DeclinationSetting: CustomStringConvertible {
    package var description: String {
        switch self {
        case .automatic: "auto"
        case .fixed(let degrees): Int(exactly: degrees).map(String.init) ?? "\(degrees)"
        }
    }
}

/// Turns headings of every kind into those that are wanted: true ones where a declination is set, else magnetic ones.
package struct Declination: Sendable {
    /// The model that `auto` asks.
    package static let model = WorldMagneticModel.wmm2025

    private let setting: DeclinationSetting?
    private var degrees: Double?
    private var place: GeoPoint?
    private var year: Double?

    /// How far one may go, metres, and how long it may take, years, before the model is asked again.
    private static let range = 10_000.0
    private static let period = 0.02

    /// - Parameter setting: `nil` leaves headings magnetic.
    package init(_ setting: DeclinationSetting?) {
        self.setting = setting
        if case .fixed(let fixed) = setting { degrees = fixed }
    }

    /// Takes over where and when we are.
    /// - Returns: The new declination, when the model was asked.
    package mutating func locate(at place: GeoPoint, year: Double) -> Double? {
        guard setting == .automatic, place.isValid, year.isFinite else { return nil }
        if let known = self.place, let asked = self.year, known.metres(to: place) < Self.range,
            (year - asked).magnitude < Self.period
        {
            return nil
        }
        self.place = place
        self.year = year
        degrees = Self.model.declination(at: place, year: year)
        return degrees
    }

    /// Whether the model's time is over.
    package func isOutdated(in year: Double) -> Bool {
        setting == .automatic && !(Self.model.epoch..<Self.model.validUntil).contains(year)
    }

    /// A true heading as a compass needle would have it; `nil` while the declination is not known.
    package func magnetic(_ heading: Double) -> Double? {
        degrees.flatMap { CompassAngle.normalised(heading - $0) }
    }

    /// The heading to pass on; while the declination is not known, the heading as it came.
    package func heading(_ heading: Double, from north: North) -> Double {
        guard north == .magnetic, let degrees else { return heading }
        return CompassAngle.normalised(heading + degrees) ?? heading
    }
}

/// Which of several compasses counts: the first in order of rank that has spoken of late.
package struct HeadingChoice: Sendable, Hashable {
    private var heardAt: [Int: Double] = [:]

    /// For so many seconds a compass counts after its last word.
    private static let patience = 3.0

    package init() {}

    /// Whether to take a heading.
    /// - Parameters:
    ///   - rank: Of the compass; the lower one counts.
    ///   - time: On one clock for all.
    package mutating func admits(rank: Int, at time: Double) -> Bool {
        heardAt[rank] = time
        return !heardAt.contains { $0.key < rank && (0..<Self.patience).contains(time - $0.value) }
    }
}
