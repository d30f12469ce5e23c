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
    /// The same for cells, with 1 / L on the diagonal.
    private let cellFactor: [Float]
    /// The covariance's inverse times what the common line leaves.
    let weights: [Double]

    init(_ beacon: SurveyLevels.Beacon, _ places: [Point3D], offset: Double, exponent: Double) {
        points = beacon.points
        slopes = beacon.slopes.map { $0 - Self.middleSlope }
        let factor = Self.factor(beacon, places, slopes)
        self.factor = factor
        var cellFactor = factor.map { Float($0) }
        for number in slopes.indices {
            let diagonal = number * (number + 1) / 2 + number
            cellFactor[diagonal] = Float(1 / factor[diagonal])
        }
        self.cellFactor = cellFactor
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
    /// Values of some cells that are computed together.
    ///
    /// So few that they pass through all points within the registers and the fastest cache.
    typealias Cells = SIMD16<Float>

    private static let leastVariance: Float = 0.25

    /// The expected levels and variances of some cells.
    ///
    /// - Parameters:
    ///   - slopes: -10 log10 of the distance of each cell.
    ///   - walls: The covariance of walls between each point of the survey and the cells.
    ///   - work: A row for each point that heard the beacon.
    ///   - levels: Begins with the common line.
    /// - Returns: The variances.
    func predict(
        _ slopes: Cells,
        walls: UnsafePointer<Cells>,
        work: UnsafeMutablePointer<Cells>,
        levels: inout Cells
    ) -> Cells {
        let offset = Float(Self.offset * Self.offset)
        let slope = Float(Self.exponent * Self.exponent)
        let own = slopes - Float(Self.middleSlope)
        var variances = own * slope
        variances *= own
        variances += offset
        variances += Float(Self.walls * Self.walls)
        cellFactor.withUnsafeBufferPointer { factor in
            for number in points.indices {
                var row = own * (slope * Float(self.slopes[number]))
                row += offset
                row += walls[points[number]]
                levels += row * Float(weights[number])
                // L⁻¹ times the covariances: what the points know in common is counted once.
                let start = number * (number + 1) / 2
                Self.subtract(from: &row, rows: work, factor, start, number)
                row *= factor[start + number]
                work[number] = row
                variances -= row * row
            }
        }
        variances = pointwiseMax(variances, Cells(repeating: Self.leastVariance))
        return variances + Float(Self.later * Self.later)
    }

    private static func subtract(
        from row: inout Cells,
        rows: UnsafeMutablePointer<Cells>,
        _ factor: UnsafeBufferPointer<Float>,
        _ start: Int,
        _ count: Int
    ) {
        var rest = row
        var before = 0
        while before &+ 3 < count {
            let (from, at) = (rows + before, start &+ before)
            var sum = from[0] * factor[at]
            sum += from[1] * factor[at &+ 1]
            sum += from[2] * factor[at &+ 2]
            sum += from[3] * factor[at &+ 3]
            rest -= sum
            before &+= 4
        }
        while before < count {
            rest -= rows[before] * factor[start &+ before]
            before &+= 1
        }
        row = rest
    }
}
