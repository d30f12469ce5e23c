import Flare
import Glibc

/// The line that the beacons of a source share.
struct RadioLine: Sendable {
    /// The level at one metre, dB over the stated one.
    let offset: Double
    /// How fast levels fade with distance.
    let exponent: Double
}

/// The usable levels of the points of one floor: what a radio map is fitted to.
struct SurveyLevels: Sendable {
    /// In the plane, metres.
    let places: [Point3D]
    let names: [String]
    /// The beacons that were heard at any of them.
    let beacons: [Beacon]

    struct Beacon: Sendable {
        /// Index in the map.
        let index: Int
        let source: MeasurementSource
        /// Which points heard it.
        let points: [Int]
        /// There, dB over the level at one metre on this floor, and the number of packets.
        let levels: [Double]
        let packets: [Double]
        /// -10 log10 of the distance to each of them.
        let slopes: [Double]
    }

    /// More points than this add nothing but time; the newest count.
    static let mostPoints = 250
    static let leastPackets = 0.05

    init(
        _ survey: [SurveyPoint],
        floor: Int,
        height: Double,
        map: BeaconMap,
        _ settings: GridEstimator.Settings
    ) {
        let points = Array(
            survey.filter { point in
                point.environment == map.environment && point.floor == floor && point.isUsable
                    && map.beacons.contains { point.level(of: $0) != nil }
            }.suffix(Self.mostPoints)
        )
        places = points.map(\.position)
        names = points.map(\.name)
        beacons = map.beacons.indices.compactMap { index in
            let beacon = map.beacons[index]
            guard beacon.position.isPlausible else { return nil }
            let heard = points.indices.filter { points[$0].level(of: beacon) != nil }
            guard !heard.isEmpty else { return nil }
            let ceilings = settings[.slab] * Double(abs(beacon.floor - floor))
            let levels = heard.compactMap { points[$0].level(of: beacon) }
            return Beacon(
                index: index,
                source: beacon.source,
                points: heard,
                levels: levels.map { $0.decibels + ceilings },
                packets: levels.map { max($0.packets, Self.leastPackets) },
                slopes: heard.map {
                    Self.slope(points[$0].position, beacon.position, height, settings[.nearest])
                }
            )
        }
    }

    private static func slope(_ point: Point3D, _ beacon: Point3D, _ height: Double, _ nearest: Double)
        -> Double
    {
        let up = beacon.z - height
        return -5 * log10(max(point.squareInPlane(to: beacon) + up * up, nearest * nearest))
    }

    /// Offset and exponent that all beacons of a source share: ridge regression with Huber weights.
    ///
    /// - Parameter left: A point to leave out.
    /// - Source: contrib/contract/positioning.md, "6.10 Survey".
    func commonLine(
        _ source: MeasurementSource,
        without left: Int? = nil,
        _ settings: GridEstimator.Settings
    ) -> RadioLine {
        var (slopes, levels): ([Double], [Double]) = ([], [])
        for beacon in beacons where beacon.source == source {
            for (number, point) in beacon.points.enumerated() where point != left {
                slopes.append(beacon.slopes[number])
                levels.append(beacon.levels[number])
            }
        }
        let usual = settings[.pathLoss]
        guard !slopes.isEmpty else { return RadioLine(offset: 0, exponent: usual) }
        let (offsetPrior, exponentPrior) = (
            1 / (Self.offsetDeviation * Self.offsetDeviation), 1 / (0.5 * 0.5)
        )
        var (offset, exponent) = (0.0, usual)
        var weights = Array(repeating: 1.0, count: slopes.count)
        var errors = weights
        var variance = 25.0
        var median = Median()
        for _ in 0..<10 {
            var (one, slope, square, level, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for index in slopes.indices {
                one += weights[index]
                slope += weights[index] * slopes[index]
                square += weights[index] * slopes[index] * slopes[index]
                level += weights[index] * levels[index]
                product += weights[index] * slopes[index] * levels[index]
            }
            // Levels of one point share errors: each counts a third.
            let scale = 1 / (3 * variance)
            let (a, b, c) = (one * scale + offsetPrior, slope * scale, square * scale + exponentPrior)
            let (p, q) = (level * scale, product * scale + exponentPrior * usual)
            let determinant = a * c - b * b
            (offset, exponent) = ((p * c - b * q) / determinant, (a * q - b * p) / determinant)
            for index in slopes.indices {
                errors[index] = abs(levels[index] - offset - exponent * slopes[index])
            }
            let deviation = 1.4826 * median(of: errors)
            variance = max(9, deviation * deviation)
            let limit = 1.5 * variance.squareRoot()
            for index in slopes.indices { weights[index] = min(1, limit / max(errors[index], 1e-9)) }
        }
        return RadioLine(offset: offset, exponent: exponent)
    }

    private static let offsetDeviation = 8.0
}

extension SurveyPoint {
    /// A plausible level of a beacon.
    fileprivate func level(of beacon: BeaconMap.Beacon) -> Level? {
        guard let level = levels[beacon.thing], Self.plausibleLevels.contains(level.decibels),
            level.packets.isFinite, level.packets >= 0
        else { return nil }
        return level
    }
}
