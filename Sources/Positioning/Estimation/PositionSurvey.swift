package import Flare

/// How far positions are off, at spots whose place is known.
package struct PositionSurvey: Sendable {
    /// A marked spot.
    package struct Spot: Sendable, Hashable {
        package let name: String
        package let place: Point3D

        package init(name: String, place: Point3D) {
            self.name = name
            self.place = place
        }
    }

    /// What was told at one spot.
    package struct Finding: Sendable, Hashable {
        package let spot: Spot
        /// The middle of the positions told.
        package let position: Point3D
        /// The median of their distances from the spot in the plane, metres.
        package let error: Double
        /// The median of what was told of the accuracy, metres; `nil` when nothing was.
        package let accuracy: Double?
        package let positions: Int
    }

    package private(set) var findings: [Finding] = []

    private static let mostSpots = 1000
    private static let farthest = 1e6

    package init() {}

    /// Reads a list of spots: `name,x,y`, metres.
    package static func spots(_ csv: [UInt8]) throws(CSVError) -> [Spot] {
        var spots: [Spot] = []
        var lineOfName: [String: Int] = [:]
        try CSVRow.read(csv, columns: ["name", "x", "y"], atMost: mostSpots) { row throws(CSVError) in
            let name = try row.name(0)
            if let other = lineOfName[name] {
                throw CSVError(line: row.line, "\(name) is already in line \(other)")
            }
            lineOfName[name] = row.line
            let range = -farthest...farthest
            spots.append(
                Spot(
                    name: name,
                    place: Point3D(x: try row.number(1, in: range), y: try row.number(2, in: range))
                )
            )
        }
        guard !spots.isEmpty else { throw CSVError(line: nil, "has no spots") }
        return spots
    }

    /// Notes what was told at a spot; an earlier finding there is replaced.
    ///
    /// - Returns: `nil` when no position was told.
    package mutating func note(
        _ told: [(position: Point3D, accuracy: Double?)],
        at spot: Spot
    ) -> Finding? {
        let told = told.filter(\.position.isFinite)
        guard !told.isEmpty else { return nil }
        let errors = told.map {
            Point3D(x: $0.position.x, y: $0.position.y).distance(
                to: Point3D(x: spot.place.x, y: spot.place.y)
            )
        }
        let accuracies = told.compactMap(\.accuracy)
        let finding = Finding(
            spot: spot,
            position: Point3D(
                x: Self.quantile(0.5, of: told.map(\.position.x)),
                y: Self.quantile(0.5, of: told.map(\.position.y))
            ),
            error: Self.quantile(0.5, of: errors),
            accuracy: accuracies.isEmpty ? nil : Self.quantile(0.5, of: accuracies),
            positions: told.count
        )
        findings.removeAll { $0.spot == spot }
        findings.append(finding)
        return finding
    }

    /// The error that a share of the spots does not exceed, metres; 0 before the first.
    package func error(share: Double) -> Double {
        findings.isEmpty ? 0 : Self.quantile(share, of: findings.map(\.error))
    }

    /// Of the spots that told an accuracy, the share at which the error was within it; `nil` when none did.
    package var withinAccuracy: Double? {
        let told = findings.compactMap { finding in finding.accuracy.map { finding.error <= $0 } }
        return told.isEmpty ? nil : Double(told.count { $0 }) / Double(told.count)
    }

    /// Between the two nearest, as numpy's percentile has it.
    private static func quantile(_ share: Double, of values: [Double]) -> Double {
        let sorted = values.sorted()
        let place = share * Double(sorted.count - 1)
        let below = min(max(Int(place), 0), sorted.count - 1)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }
}
