import Flare
import Glibc

/// A Gaussian process for one beacon's levels: offset, slope and walls about the line that all beacons share.
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
struct LevelProcess: Sendable {
    /// Standard deviations, dB: of the beacon's offset, of its exponent, of walls, of a level that a person measures,
    /// of a single packet, and of what is heard in the same place later.
    private static let (offset, exponent, walls, measured, packet, later) = (2.0, 0.35, 4.0, 3.0, 5.0, 3.0)
    /// Walls are alike at points so near to each other, metres.
    private static let reach = 8.0
    /// Slopes are counted from the distance of 4 m.
    static let middleSlope = -10 * log10(4.0)

    /// Which points of the survey heard the beacon, and their slopes from the middle one.
    let points: [Int]
    let slopes: [Double]
    /// The factor L of the points' covariance L·Lᵀ: rows below and on the diagonal, one after another.
    private let factor: [Double]
    /// The covariance's inverse times what the common line leaves.
    let weights: [Double]

    init(_ beacon: SurveyLevels.Beacon, _ places: [Point3D], offset: Double, exponent: Double) {
        points = beacon.points
        slopes = beacon.slopes.map { $0 - Self.middleSlope }
        factor = Self.factor(beacon, places, slopes)
        let rest = beacon.levels.indices.map {
            beacon.levels[$0] - offset - exponent * beacon.slopes[$0]
        }
        weights = Self.solve(factor, rest)
    }

    private static func covariance(_ slope: Double, _ other: Double) -> Double {
        offset * offset + exponent * exponent * slope * other
    }

    /// The covariance of walls at a distance.
    static func walls(_ metres: Double) -> Double { walls * walls * exp(-metres / reach) }

    /// The variance of a level where nothing was surveyed, what changes later included.
    static func variance(unsurveyed slope: Double) -> Double {
        covariance(slope - middleSlope, slope - middleSlope) + walls * walls + later * later
    }

    private static func factor(_ beacon: SurveyLevels.Beacon, _ places: [Point3D], _ slopes: [Double])
        -> [Double]
    {
        let count = slopes.count
        var factor = Array(repeating: 0.0, count: count * (count + 1) / 2)
        for row in 0..<count {
            let start = row * (row + 1) / 2
            let place = places[beacon.points[row]]
            for column in 0...row {
                let other = column * (column + 1) / 2
                var value = covariance(slopes[row], slopes[column])
                if row == column {
                    value += walls * walls + measured * measured + packet * packet / beacon.packets[row]
                } else {
                    value += walls(place.squareInPlane(to: places[beacon.points[column]]).squareRoot())
                }
                for before in 0..<column { value -= factor[start + before] * factor[other + before] }
                factor[start + column] =
                    row == column ? max(value, 1e-6).squareRoot() : value / factor[other + column]
            }
        }
        return factor
    }

    /// The covariance's inverse times a vector.
    private static func solve(_ factor: [Double], _ vector: [Double]) -> [Double] {
        var result = vector
        for row in result.indices {
            let start = row * (row + 1) / 2
            for column in 0..<row { result[row] -= factor[start + column] * result[column] }
            result[row] /= factor[start + row]
        }
        for row in result.indices.reversed() {
            for below in (row + 1)..<max(result.count, row + 1) {
                result[row] -= factor[below * (below + 1) / 2 + row] * result[below]
            }
            result[row] /= factor[row * (row + 1) / 2 + row]
        }
        return result
    }

    /// Each point's level as the others predict it, about another common line.
    ///
    /// - Returns: The error and its variance, for each point that heard the beacon.
    func predictedByOthers(_ point: Int, _ rest: [Double]) -> (error: Double, variance: Double) {
        var unit = Array(repeating: 0.0, count: rest.count)
        unit[point] = 1
        let row = Self.solve(factor, unit)
        let sum = zip(row, rest).reduce(0) { $0 + $1.0 * $1.1 }
        return (sum / row[point], 1 / row[point])
    }
}

extension LevelProcess {
    /// Cells that are computed together.
    static let block = 256

    /// The expected levels and variances of some cells.
    ///
    /// - Parameters:
    ///   - walls: The covariance of walls between each point of the survey and each cell of the block.
    ///   - slopes: -10 log10 of the distance of each cell.
    ///   - work: A row of cells for each point.
    ///   - levels: Begins with the common line.
    func predict(
        _ cells: Int,
        walls: UnsafePointer<Float>,
        slopes: UnsafePointer<Float>,
        work: UnsafeMutablePointer<Float>,
        levels: UnsafeMutablePointer<Float>,
        variances: UnsafeMutablePointer<Float>
    ) {
        let (middle, offset) = (Float(Self.middleSlope), Float(Self.offset * Self.offset))
        let slope = Float(Self.exponent * Self.exponent)
        let (most, later) = (Float(Self.walls * Self.walls), Float(Self.later * Self.later))
        for cell in 0..<cells {
            let own = slopes[cell] - middle
            variances[cell] = offset + slope * own * own + most
        }
        for (number, point) in points.enumerated() {
            let row = work + number * Self.block
            let wall = walls + point * Self.block
            let (part, weight) = (slope * Float(self.slopes[number]), Float(weights[number]))
            var cell = 0
            while cell < cells {
                row[cell] = offset + part * (slopes[cell] - middle) + wall[cell]
                levels[cell] += weight * row[cell]
                cell &+= 1
            }
            // L⁻¹ times the covariances: what the points know in common is counted once.
            let start = number * (number + 1) / 2
            subtract(from: row, rows: work, start, number, cells)
            let scale = Float(1 / factor[start + number])
            cell = 0
            while cell < cells {
                row[cell] *= scale
                variances[cell] -= row[cell] * row[cell]
                cell &+= 1
            }
        }
        for cell in 0..<cells { variances[cell] = max(variances[cell], Self.leastVariance) + later }
    }

    private static let leastVariance: Float = 0.25

    private func subtract(
        from row: UnsafeMutablePointer<Float>,
        rows: UnsafeMutablePointer<Float>,
        _ start: Int,
        _ count: Int,
        _ cells: Int
    ) {
        var before = 0
        while before + 3 < count {
            let one = rows + before * Self.block
            let (two, three, four) = (one + Self.block, one + 2 * Self.block, one + 3 * Self.block)
            let (a, b) = (Float(factor[start + before]), Float(factor[start + before + 1]))
            let (c, d) = (Float(factor[start + before + 2]), Float(factor[start + before + 3]))
            var cell = 0
            while cell < cells {
                row[cell] -= a * one[cell] + b * two[cell] + c * three[cell] + d * four[cell]
                cell &+= 1
            }
            before += 4
        }
        while before < count {
            GridCells.add(rows + before * Self.block, times: -Float(factor[start + before]), to: row, cells)
            before += 1
        }
    }
}
