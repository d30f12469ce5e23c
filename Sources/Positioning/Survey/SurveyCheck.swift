import Flare
import Glibc

/// How well each point of a survey fits the others.
///
/// A point that was taken at another place than its name says stands out; a check of the whole survey against the
/// plain model is part of ``RadioMap/init(survey:map:settings:)``.
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
package struct SurveyCheck: Sendable {
    /// Mean squared error of a point's levels in units of their variance, by its name; about 1 when all is right.
    package struct Finding: Sendable, Hashable {
        package let point: String
        package let misfit: Double

        /// Whether the point should be measured again.
        package var isDoubtful: Bool { misfit > SurveyCheck.mostMisfit }
    }

    package private(set) var findings: [Finding] = []

    /// Right points are up to 1.9, two that were swapped from 2.7.
    private static let mostMisfit = 2.5
    /// Fewer points cannot judge each other.
    private static let leastPoints = 4

    package init(
        survey: [SurveyPoint],
        map: BeaconMap,
        settings: GridEstimator.Settings = GridEstimator.Settings()
    ) {
        let settings = settings.merging(map.constants)
        let plan = GridPlan(map, settings)
        for (floor, height) in zip(plan.floors, plan.heights) {
            let levels = SurveyLevels(survey, floor: floor, height: height, map: map, settings)
            guard levels.places.count >= Self.leastPoints else { continue }
            let processes = levels.beacons.map { LevelProcess($0, levels.places, offset: 0, exponent: 0) }
            for point in levels.places.indices {
                let misfit = Self.misfit(point, levels, processes, settings)
                findings.append(Finding(point: levels.names[point], misfit: misfit))
            }
        }
    }

    private static func misfit(
        _ point: Int,
        _ survey: SurveyLevels,
        _ processes: [LevelProcess],
        _ settings: GridEstimator.Settings
    ) -> Double {
        let lines = BySource(
            survey.commonLine(.device, without: point, settings),
            survey.commonLine(.receivers, without: point, settings)
        )
        var found: [(error: Double, variance: Double)] = []
        for (beacon, process) in zip(survey.beacons, processes) {
            guard let number = beacon.points.firstIndex(of: point) else { continue }
            let line = lines[beacon.source]
            let rest = beacon.levels.indices.map {
                beacon.levels[$0] - line.offset - line.exponent * beacon.slopes[$0]
            }
            found.append(process.predictedByOthers(number, rest))
        }
        // The person's body and the device are the same for all beacons.
        let weight = found.reduce(0) { $0 + 1 / $1.variance }
        let common = found.reduce(0) { $0 + $1.error / $1.variance } / weight
        let sum = found.reduce(0) { $0 + ($1.error - common) * ($1.error - common) / $1.variance }
        return sum / Double(max(found.count, 1))
    }
}

extension SurveyLevels {
    /// The mean distance between the points and the positions that the plain model gives there, as a share of the
    /// area's diagonal: large where the plan is mirrored.
    func distanceByModel(
        _ area: GridArea,
        floor: Int,
        height: Double,
        _ places: [Point3D],
        _ settings: GridEstimator.Settings
    ) -> Double {
        var grid = FloorGrid(area: area.coarser, height: height, beacons: places.count)
        var offsets = BySource(ReceiverOffset(), ReceiverOffset())
        var expected = Array(repeating: 0.0, count: places.count)
        var distances: [Double] = []
        // As if the person stood there for some seconds; of many points, one look at each is enough.
        let times = min(20, max(1, 200 / max(self.places.count, 1)))
        // The second round knows the receiver's error.
        for round in 0..<2 {
            for point in self.places.indices {
                var heard: [BeaconObservation] = []
                for beacon in beacons {
                    guard let number = beacon.points.firstIndex(of: point) else { continue }
                    let average = (level: beacon.levels[number], packets: beacon.packets[number])
                    heard.append(BeaconObservation(beacon.index, beacon.source, floor, average, settings))
                }
                heard.sort { $0.level > $1.level }
                heard = Array(heard.prefix(FloorGrid.mostBeacons))
                guard !heard.isEmpty else { continue }
                heard.groupBySource()
                let conditions = FloorGrid.Conditions(floor: floor, settings: settings, offsets)
                grid.reset()
                _ = grid.update(with: heard, places: places, conditions, times: round == 0 ? 1 : times)
                let belief = grid.belief(for: heard, expected: &expected)
                offsets.learn(belief.offsets, from: heard, settings)
                guard round == 1, belief.x.isFinite, belief.y.isFinite else { continue }
                let fix = Point3D(x: belief.x, y: belief.y)
                distances.append(fix.squareInPlane(to: self.places[point]).squareRoot())
            }
        }
        let (width, depth) = (Double(area.columns) * area.cell, Double(area.rows) * area.cell)
        let diagonal = (width * width + depth * depth).squareRoot()
        return distances.isEmpty ? 0 : distances.reduce(0, +) / Double(distances.count) / diagonal
    }
}

extension GridArea {
    /// With more cells, the time to look at all of them counts.
    private static let manyCells = 2_000.0
    private static let mostTimes = 4

    /// The same area in larger cells; itself if it has few.
    ///
    /// A place that is found so differs by less than one of these cells, and what is asked is whether it is off by a quarter
    /// of the diagonal.
    fileprivate var coarser: GridArea {
        let times = min(Self.mostTimes, Int((Double(count) / Self.manyCells).squareRoot().rounded(.up)))
        guard times > 1 else { return self }
        return GridArea(
            x: x,
            y: y,
            cell: Double(times) * cell,
            columns: (columns + times - 1) / times,
            rows: (rows + times - 1) / times
        )
    }

    private init(x: Double, y: Double, cell: Double, columns: Int, rows: Int) {
        (self.x, self.y, self.cell, self.columns, self.rows) = (x, y, cell, columns, rows)
    }
}
