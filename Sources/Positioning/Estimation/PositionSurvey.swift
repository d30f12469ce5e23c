package import Flare
import JSON

/// Compares measured positions with surveyed spots.
package struct PositionSurvey: Sendable {
    /// A spot with a known position.
    package struct Spot: Sendable, Hashable {
        package let name: String
        package let position: Point3D
        /// Whether a height was given.
        package let hasHeight: Bool

        package init(name: String, position: Point3D, hasHeight: Bool = false) {
            self.name = name
            self.position = position
            self.hasHeight = hasHeight
        }
    }

    /// The result at one spot.
    package struct Finding: Sendable, Hashable {
        package let spot: Spot
        /// The median of the measured positions.
        package let position: Point3D
        /// The median distance from the spot in the plane, metres.
        package let error: Double
        /// The median stated accuracy, metres; `nil` when none was stated.
        package let accuracy: Double?
        package let positions: Int
    }

    package private(set) var findings: [Finding] = []

    private static let mostSpots = 1000

    package init() {}

    /// Reads a list of spots: `name,x,y` or `name,x,y,z`, metres.
    package static func spots(_ csv: [UInt8]) throws(CSVError) -> [Spot] {
        var spots: [Spot] = []
        let hasHeight = hasHeights(csv)
        let columns = ["name", "x", "y"] + (hasHeight ? ["z"] : [])
        try CSVRow.read(csv, columns: columns, atMost: mostSpots, isNamed: true) {
            row throws(CSVError) in
            let name = try row.name(0)
            let range = -Point3D.farthest...Point3D.farthest
            spots.append(
                Spot(
                    name: name,
                    position: Point3D(
                        x: try row.number(1, in: range),
                        y: try row.number(2, in: range),
                        z: hasHeight ? try row.number(3, in: range) : 0
                    ),
                    hasHeight: hasHeight
                )
            )
        }
        guard !spots.isEmpty else { throw CSVError(line: nil, "has no spots") }
        return spots
    }

    /// Whether the first line names a column of heights.
    private static func hasHeights(_ csv: [UInt8]) -> Bool {
        let first = ByteOrderMark.skipped(in: csv).prefix { $0 != UInt8(ascii: "\n") }
        return first.filter { ![UInt8(ascii: " "), UInt8(ascii: "\r")].contains($0) }
            .elementsEqual("name,x,y,z".utf8)
    }

    /// Records the positions measured at a spot, replacing an earlier finding for it.
    ///
    /// - Returns: `nil` when there was no valid position.
    package mutating func record(
        _ samples: [(position: Point3D, accuracy: Double?)],
        at spot: Spot
    ) -> Finding? {
        let samples = samples.filter(\.position.isFinite)
        guard !samples.isEmpty else { return nil }
        let errors = samples.map {
            Point3D(x: $0.position.x, y: $0.position.y).distance(
                to: Point3D(x: spot.position.x, y: spot.position.y)
            )
        }
        let accuracies = samples.compactMap(\.accuracy)
        let finding = Finding(
            spot: spot,
            position: Point3D(
                x: Self.quantile(0.5, of: samples.map(\.position.x)),
                y: Self.quantile(0.5, of: samples.map(\.position.y))
            ),
            error: Self.quantile(0.5, of: errors),
            accuracy: accuracies.isEmpty ? nil : Self.quantile(0.5, of: accuracies),
            positions: samples.count
        )
        findings.removeAll { $0.spot == spot }
        findings.append(finding)
        return finding
    }

    /// A quantile of the spots' errors, metres; 0 without findings.
    package func error(share: Double) -> Double {
        findings.isEmpty ? 0 : Self.quantile(share, of: findings.map(\.error))
    }

    /// The fraction of the spots with a stated accuracy whose error was within it; `nil` when no spot has
    /// one.
    package var withinAccuracy: Double? {
        let results = findings.compactMap { finding in finding.accuracy.map { finding.error <= $0 } }
        return results.isEmpty ? nil : Double(results.count { $0 }) / Double(results.count)
    }

    /// Linear interpolation between the two nearest values, as numpy's `percentile`.
    private static func quantile(_ share: Double, of values: [Double]) -> Double {
        let sorted = values.sorted()
        let place = share * Double(sorted.count - 1)
        let below = min(max(Int(place), 0), sorted.count - 1)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }
}
