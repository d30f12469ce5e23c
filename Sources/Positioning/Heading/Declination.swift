package import Flare

/// The source of the difference between magnetic and true north.
package enum DeclinationSetting: Sendable, Hashable, LosslessStringConvertible {
    /// Degrees, east positive.
    case fixed(Double)
    /// Computed for the location with the World Magnetic Model.
    case automatic

    /// Parses `auto` or degrees; `nil` for any other text.
    package init?(_ text: String) {
        if text == "auto" {
            self = .automatic
        } else if let degrees = DecimalText.number(text), degrees.magnitude <= 180 {
            self = .fixed(degrees)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .fixed(let degrees): Int(exactly: degrees).map(String.init) ?? "\(degrees)"
        }
    }
}

/// Converts headings to true north when a declination is configured, and otherwise to magnetic north.
package struct Declination: Sendable {
    /// The model behind `auto`.
    package static let model = WorldMagneticModel.wmm2025

    private let setting: DeclinationSetting?
    private var degrees: Double?
    private var place: GeoPoint?
    private var year: Double?

    /// The declination is computed again after moving this far, metres, or after this time, years.
    private static let range = 10_000.0
    private static let period = 0.02

    /// - Parameter setting: `nil` leaves headings magnetic.
    package init(_ setting: DeclinationSetting?) {
        self.setting = setting
        if case .fixed(let fixed) = setting { degrees = fixed }
    }

    /// Sets the location and the year.
    /// - Returns: The new declination, when it was computed again.
    package mutating func setLocation(_ place: GeoPoint, year: Double) -> Double? {
        guard setting == .automatic, place.isValid, year.isFinite else { return nil }
        if let known = self.place, let computed = self.year, known.metres(to: place) < Self.range,
            (year - computed).magnitude < Self.period
        {
            return nil
        }
        self.place = place
        self.year = year
        degrees = Self.model.declination(at: place, year: year)
        return degrees
    }

    /// Whether the year is outside the model's validity.
    package func isOutdated(in year: Double) -> Bool {
        setting == .automatic && !(Self.model.epoch..<Self.model.validUntil).contains(year)
    }

    /// Converts a true heading to a magnetic one; `nil` while the declination is unknown.
    package func magnetic(_ heading: Double) -> Double? {
        degrees.flatMap { CompassAngle.normalised(heading - $0) }
    }

    /// The heading to publish; unchanged while the declination is unknown.
    package func heading(_ heading: Double, from north: North) -> Double {
        guard north == .magnetic, let degrees else { return heading }
        return CompassAngle.normalised(heading + degrees) ?? heading
    }
}

/// Selects one of several compasses: the highest-ranked that reported recently.
package struct HeadingChoice: Sendable, Hashable {
    private var reportedAt: [Int: Double] = [:]

    /// Seconds for which a compass counts after its last report.
    private static let timeout = 3.0

    package init() {}

    /// Whether to use a heading.
    /// - Parameters:
    ///   - rank: The compass's rank; lower ranks take precedence.
    ///   - time: On one clock for all compasses.
    package mutating func admits(rank: Int, at time: Double) -> Bool {
        reportedAt[rank] = time
        return !reportedAt.contains { $0.key < rank && (0..<Self.timeout).contains(time - $0.value) }
    }
}
