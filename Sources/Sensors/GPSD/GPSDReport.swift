import Flare
import JSON
import Positioning

/// A message of a gpsd.
/// - Source: gpsd_json(5).
enum GPSDReport: Sendable, Hashable {
    case version(release: String, major: Int)
    case fix(Fix)
    case attitude(Attitude)
    /// The number of receivers.
    case devices(Int)
    case fault(String)
    /// A message that is not used.
    case other

    /// Time, position and velocity.
    struct Fix: Sendable, Hashable {
        /// 0 unknown, 1 no fix, 2 without height, 3 with height.
        var mode: Int
        /// `nil` below mode 2.
        var place: GeoPoint?
        /// Expected error in the plane, metres.
        var errorMetres: Double?
        /// Time of the measurement, in years.
        var year: Double?
    }

    /// A compass connected to the gpsd.
    struct Attitude: Sendable, Hashable {
        /// Degrees, 0 up to 360.
        var heading: Double?
        var magneticHeading: Double?
    }

    init(line: some Collection<UInt8>) throws(ReadingError) {
        let json = try JSONValue(sent: line, maximumDepth: 8)
        guard let kind = json["class"]?.string else {
            throw ReadingError("is not a gpsd message: \(json.excerpt)")
        }
        switch kind {
        case "VERSION":
            let release = json["release"]?.string ?? json["rev"]?.string ?? "?"
            self = .version(release: String(release.prefix(40)), major: json["proto_major"]?.integer ?? 0)
        case "TPV": self = .fix(Fix(json))
        case "ATT", "IMU":
            self = .attitude(
                Attitude(
                    heading: Self.course(json["heading"]),
                    magneticHeading: Self.course(json["mheading"])
                )
            )
        case "DEVICES": self = .devices(json["devices"]?.array?.count ?? 0)
        case "ERROR": self = .fault(String((json["message"]?.string ?? "").prefix(200)))
        default: self = .other
        }
    }

    private static func course(_ value: JSONValue?) -> Double? {
        guard let degrees = value?.statedNumber, degrees.magnitude <= 360 else { return nil }
        return CompassAngle.normalised(degrees)
    }
}

extension GPSDReport.Fix {
    fileprivate init(_ json: JSONValue) {
        let (latitude, longitude) = (json["lat"]?.statedNumber, json["lon"]?.statedNumber)
        if let stated = json["mode"] {
            // A mode that cannot be read: gpsd sends a place only with a fix.
            mode = Self.mode(stated) ?? (latitude == nil || longitude == nil ? 0 : 2)
        } else {
            mode = 0
        }
        if mode >= 2, let latitude, let longitude {
            let point = GeoPoint(latitude: latitude, longitude: longitude)
            place = point.isValid ? point : nil
        }
        // Older versions send only the errors along the two axes.
        let axes = ["epx", "epy"].compactMap { Self.metres(json[$0]) }
        let fromAxes = axes.count == 2 ? (axes[0] * axes[0] + axes[1] * axes[1]).squareRoot() : nil
        errorMetres = Self.metres(json["eph"]) ?? fromAxes
        year = json["time"]?.string.flatMap(Self.year)
    }

    private static func metres(_ value: JSONValue?) -> Double? {
        value?.statedNumber.flatMap { (0...1e9).contains($0) ? $0 : nil }
    }

    private static func mode(_ value: JSONValue) -> Int? {
        value.statedNumber.flatMap { (0...3).contains($0) ? Int($0) : nil }
    }

    /// Parses `2026-04-10T10:00:00.000Z` to the month, which is accurate enough for the earth's magnetic
    /// field.
    private static func year(_ text: String) -> Double? {
        let parts = text.prefix(7).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month)
        else { return nil }
        return Double(year) + (Double(month) - 0.5) / 12
    }
}
