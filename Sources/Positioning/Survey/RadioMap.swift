package import Flare
import Glibc

/// Why a survey cannot be used.
package enum SurveyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There are beacons on no floor.
    case noBeacons
    case tooFewPoints(Int)
    /// Positions by the plain model are so far from the points, in hundredths of the place's diagonal.
    case elsewhere(percent: Int)

    package var description: String {
        switch self {
        case .noBeacons: "the place has no beacons"
        case .tooFewPoints(let count):
            "\(count == 1 ? "1 point" : "\(count) points") heard beacons of this place; at least "
                + "\(RadioMap.leastPoints) are needed"
        case .elsewhere(let percent):
            "the points are not where the beacons say, by \(percent) % of the place's diagonal: check that "
                + "the plan is not mirrored or turned, and that the beacons are where it shows them"
        }
    }
}

/// What levels to expect at each place, learnt from a survey.
///
/// Each cell has its own level and variance for each beacon: those of the log-distance model, corrected by what was
/// heard at the points around. Fitting takes some milliseconds and belongs on no loop that must answer; the result
/// can be shared by all estimators of the place.
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
package struct RadioMap: Sendable {
    package let environment: FlareID
    /// The number of points that were used, on all floors.
    package let points: Int
    private let plan: GridPlan
    private var floors: [Int: Floor] = [:]

    private struct Floor {
        var lines: BySource<RadioLine>
        /// By the beacon's thing.
        var columns: [FlareID: (beacon: BeaconMap.Beacon, column: RadioColumn)] = [:]
    }

    /// With fewer points on a floor, the plain model is better there.
    package static let leastPoints = 3
    /// Values that all columns may have together; the beacons that were heard at most points come first.
    private static let mostValues = 8_000_000
    /// The largest distance between the points and the plain model's positions, as a share of the diagonal.
    private static let mostAway = 0.25

    /// Fits the map to a survey.
    ///
    /// - Parameter survey: Points of other environments, points heard for too short a time, and impossible levels are
    ///   ignored.
    package init(
        survey: [SurveyPoint],
        map: BeaconMap,
        settings: GridEstimator.Settings = GridEstimator.Settings()
    ) throws(SurveyError) {
        let settings = settings.merging(map.constants)
        environment = map.environment
        plan = GridPlan(map, settings)
        guard let area = plan.area else { throw .noBeacons }
        var (used, most) = (0, 0)
        for (floor, height) in zip(plan.floors, plan.heights) {
            let levels = SurveyLevels(survey, floor: floor, height: height, map: map, settings)
            most = max(most, levels.places.count)
            guard levels.places.count >= Self.leastPoints else { continue }
            let away = levels.distanceByModel(area, floor: floor, height: height, plan.places, settings)
            guard away <= Self.mostAway else { throw .elsewhere(percent: Int((away * 100).rounded())) }
            floors[floor] = Self.fit(levels, area, height, map, settings)
            used += levels.places.count
        }
        points = used
        guard used > 0 else { throw .tooFewPoints(most) }
    }

    /// The variance of a beacon's level that no point heard, dB².
    static func variance(unsurveyed slope: Double) -> Double { LevelProcess.variance(unsurveyed: slope) }

    /// What it says about the levels of a source on a floor; `nil` when that has no survey, or when the cells are others.
    func radio(of source: MeasurementSource, onFloor floor: Int, of map: BeaconMap, _ plan: GridPlan)
        -> FloorRadio?
    {
        guard map.environment == environment, plan.hasCells(of: self.plan), let found = floors[floor] else {
            return nil
        }
        let columns = map.beacons.map { beacon -> RadioColumn? in
            guard beacon.source == source, let known = found.columns[beacon.thing] else { return nil }
            return known.beacon.isHeardLike(beacon) ? known.column : nil
        }
        guard columns.contains(where: { $0 != nil }) else { return nil }
        return FloorRadio(line: found.lines[source], columns: columns)
    }

    private static func fit(
        _ survey: SurveyLevels,
        _ area: GridArea,
        _ height: Double,
        _ map: BeaconMap,
        _ settings: GridEstimator.Settings
    ) -> Floor {
        let lines = BySource(survey.commonLine(.device, settings), survey.commonLine(.receivers, settings))
        var floor = Floor(lines: lines)
        let room = max(1, mostValues / (2 * area.count))
        let heard = survey.beacons.sorted { ($1.points.count, $0.index) < ($0.points.count, $1.index) }
            .prefix(room)
        let processes = heard.map {
            let line = lines[$0.source]
            return LevelProcess($0, survey.places, offset: line.offset, exponent: line.exponent)
        }
        let columns = columns(
            processes,
            heard.map { (map.beacons[$0.index].position, lines[$0.source]) },
            survey.places,
            area,
            height,
            settings
        )
        for (beacon, column) in zip(heard, columns) {
            let beacon = map.beacons[beacon.index]
            floor.columns[beacon.thing] = (beacon, column)
        }
        return floor
    }

    /// The columns of the beacons, some cells at a time: those share their distances from the points.
    private static func columns(
        _ processes: [LevelProcess],
        _ beacons: [(place: Point3D, line: RadioLine)],
        _ points: [Point3D],
        _ area: GridArea,
        _ height: Double,
        _ settings: GridEstimator.Settings
    ) -> [RadioColumn] {
        typealias Cells = LevelProcess.Cells
        var columns = beacons.map { _ in RadioColumn(cells: area.count) }
        var walls = Array(repeating: Cells(), count: points.count)
        var work = walls
        let nearest = settings[.nearest]
        var places = Array(repeating: (column: 0, row: 0), count: Cells.scalarCount)
        for start in stride(from: 0, to: area.count, by: Cells.scalarCount) {
            let cells = min(Cells.scalarCount, area.count - start)
            for cell in 0..<cells {
                places[cell] = ((start + cell) % area.columns, (start + cell) / area.columns)
            }
            walls.withUnsafeMutableBytes { walls in
                for cell in 0..<cells {
                    let middle = Point3D(x: area.x(places[cell].column), y: area.y(places[cell].row))
                    for (number, point) in points.enumerated() {
                        let covariance = LevelProcess.walls(point.squareInPlane(to: middle).squareRoot())
                        let place = number * MemoryLayout<Cells>.stride + cell * MemoryLayout<Float>.stride
                        walls.storeBytes(of: Float(covariance), toByteOffset: place, as: Float.self)
                    }
                }
            }
            for (number, process) in processes.enumerated() {
                var (slopes, levels) = (Cells(), Cells())
                let (beacon, line) = beacons[number]
                for cell in 0..<cells {
                    let (column, row) = places[cell]
                    let slope = area.slope(column, row, to: beacon, height, nearest)
                    slopes[cell] = Float(slope)
                    levels[cell] = Float(line.offset + line.exponent * slope)
                }
                let variances = predict(process, slopes, walls, &work, &levels)
                columns[number].set(levels, variances, start, cells)
            }
        }
        return columns
    }

    private static func predict(
        _ process: LevelProcess,
        _ slopes: LevelProcess.Cells,
        _ walls: [LevelProcess.Cells],
        _ work: inout [LevelProcess.Cells],
        _ levels: inout LevelProcess.Cells
    ) -> LevelProcess.Cells {
        work.withUnsafeMutableBufferPointer { work in
            walls.withUnsafeBufferPointer { walls in
                guard let walls = walls.baseAddress, let work = work.baseAddress else { return .zero }
                return process.predict(slopes, walls: walls, work: work, levels: &levels)
            }
        }
    }
}

/// What a survey found out about the beacons of one source on one floor.
struct FloorRadio: Sendable {
    let line: RadioLine
    /// By the beacon's index in the map; `nil` for one that was not heard.
    let columns: [RadioColumn?]
}

/// The expected levels of one beacon in the cells of a floor, dB over its level at one metre, and their variances.
struct RadioColumn: Sendable {
    fileprivate(set) var levels: [Float]
    fileprivate(set) var variances: [Float]

    fileprivate init(cells: Int) {
        levels = Array(repeating: 0, count: cells)
        variances = levels
    }

    fileprivate mutating func set(
        _ new: LevelProcess.Cells,
        _ widths: LevelProcess.Cells,
        _ start: Int,
        _ cells: Int
    ) {
        for cell in 0..<cells {
            levels[start + cell] = new[cell]
            variances[start + cell] = widths[cell]
        }
    }

    /// Copies it into a grid's tables.
    func copy(to table: inout [Float], _ widths: inout [Float], at start: Int) {
        guard start + levels.count <= min(table.count, widths.count) else { return }
        for cell in levels.indices {
            table[start + cell] = levels[cell]
            widths[start + cell] = variances[cell]
        }
    }
}
