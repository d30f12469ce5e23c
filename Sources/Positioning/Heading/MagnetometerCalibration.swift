package import JSON

/// The distortion of a magnetometer by the device's own iron, and its correction.
///
/// Magnetised iron shifts the measurements, other iron stretches them; undistorted measurements of a turned
/// magnetometer lie on a sphere around 0.
/// - Source: contrib/contract/positioning.md, "8. Compass and GPS"; Freescale AN4246.
package struct MagnetometerCalibration: Sendable, Hashable {
    package enum Quality: String, Sendable, Hashable {
        /// Covers all directions: valid in every orientation.
        case full
        /// From a turn on the spot: valid only in the orientation of that turn.
        case partial
    }

    /// Hard-iron offset, microtesla, in the sensor's own axes.
    package var offset: Vector3
    /// Soft-iron correction: maps the shifted measurements to a sphere.
    package var stretch: Matrix3
    /// The sphere's radius, microtesla: the field strength away from iron.
    package var field: Double
    package var quality: Quality
    /// Standard deviation of the samples' distance from the sphere, divided by its radius.
    package var spread: Double
    /// The fraction of all directions that the samples covered.
    package var coverage: Double
    package var samples: Int

    /// A measurement with the distortion removed.
    package func corrected(_ measured: Vector3) -> Vector3 { stretch * (measured - offset) }

    /// The stored form.
    package var json: JSONValue {
        [
            "offset_ut": Self.list(offset),
            "stretch": .array([Self.list(stretch.x), Self.list(stretch.y), Self.list(stretch.z)]),
            "field_ut": .number(field), "quality": .string(quality.rawValue), "spread": .number(spread),
            "coverage": .number(coverage), "samples": JSONValue(samples),
        ]
    }

    /// Reads the stored form; `nil` when it is not valid.
    package init?(json: JSONValue) {
        guard let offset = Self.vector(json["offset_ut"]), let rows = json["stretch"]?.array, rows.count == 3,
            let x = Self.vector(rows[0]), let y = Self.vector(rows[1]), let z = Self.vector(rows[2]),
            let field = json["field_ut"]?.number, field > 0, field.isFinite,
            let quality = json["quality"]?.string.flatMap({ Quality(rawValue: $0) }),
            let spread = json["spread"]?.number, let coverage = json["coverage"]?.number,
            let samples = json["samples"]?.integer
        else { return nil }
        let stretch = Matrix3(x, y, z)
        guard stretch.determinant.magnitude > 1e-6, stretch.isFinite else { return nil }
        self.init(
            offset: offset,
            stretch: stretch,
            field: field,
            quality: quality,
            spread: spread,
            coverage: coverage,
            samples: samples
        )
    }

    package init(
        offset: Vector3,
        stretch: Matrix3,
        field: Double,
        quality: Quality,
        spread: Double,
        coverage: Double,
        samples: Int
    ) {
        self.offset = offset
        self.stretch = stretch
        self.field = field
        self.quality = quality
        self.spread = spread
        self.coverage = coverage
        self.samples = samples
    }

    private static func list(_ vector: Vector3) -> JSONValue {
        .array([.number(vector.x), .number(vector.y), .number(vector.z)])
    }

    private static func vector(_ json: JSONValue?) -> Vector3? {
        let numbers = (json?.array ?? []).compactMap(\.number)
        guard numbers.count == 3, json?.array?.count == 3 else { return nil }
        let vector = Vector3(numbers[0], numbers[1], numbers[2])
        return vector.isFinite ? vector : nil
    }
}

/// Why the samples gave no calibration.
package enum CalibrationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    case tooFew(samples: Int, needed: Int)
    case uncovered(coverage: Double, needed: Double)
    case noEllipsoid
    /// The ratio of the ellipsoid's longest to its shortest axis.
    case crooked(ratio: Double)
    case uneven(spread: Double, allowed: Double)
    /// Microtesla.
    case noField(Double)

    package var description: String {
        switch self {
        case .tooFew(let samples, let needed):
            "only \(samples) distinct samples, \(needed) are needed: keep turning the device"
        case .uncovered(let coverage, let needed):
            "only \(Self.percent(coverage)) of the directions are covered, \(Self.percent(needed)) are needed: "
                + "turn the device about all its axes"
        case .noEllipsoid:
            "the samples do not lie on an ellipsoid: iron or a magnet was near; move away from it and start again"
        case .crooked(let ratio):
            "one axis is \(Self.tenths(ratio)) times as sensitive as another: move away from magnets; if it persists, the sensor is broken"
        case .uneven(let spread, let allowed):
            "the field strength varies by \(Self.percent(spread)), \(Self.percent(allowed)) are allowed: keep away "
                + "from steel, cables and loudspeakers, and turn the device without moving it elsewhere"
        case .noField(let microtesla):
            "the field is \(Self.tenths(microtesla)) µT, the earth's is 25 to 65: the sensor's scale is unknown, or "
                + "it is shielded"
        }
    }

    private static func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }
    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
