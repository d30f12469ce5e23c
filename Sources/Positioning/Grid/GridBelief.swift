import Flare
import Glibc

/// The summary of a grid: the position, its uncertainty, and the constant error of each source.
struct GridBelief: Sendable {
    /// The mean, metres.
    let x: Double
    let y: Double
    /// Covariance around the mean.
    let spread: Covariance
    /// What all cells add up to; about 1.
    fileprivate let weight: Double
    /// The constant error of each source that was observed, dB.
    var offsets = BySource(0.0, 0.0)

    /// Errors that do not average out have 1.1 times the deviation of a surveyed level.
    private static let surveyError = 1.1 * 1.1

    /// The error from walls and bodies, which consecutive updates share, so that it does not average out.
    ///
    /// It is the best that a single update can achieve with errors of the persistent size.
    ///
    /// - Parameters:
    ///   - exponents: How fast the levels of each source fade with distance.
    ///   - deviations: How far the constant errors deviate from what is known, dB.
    ///   - surveyed: With a survey, the variance of each beacon's level here, dB².
    /// - Source: contrib/contract/positioning.md, "6.5 Accuracy".
    func standingError(
        _ observations: [BeaconObservation],
        places: [Point3D],
        height: Double,
        _ settings: GridEstimator.Settings,
        exponents: BySource<Double>,
        deviations: BySource<Double>,
        surveyed: [Double]? = nil
    ) -> Covariance {
        let slopes = exponents.map { 10 * $0 / log(10) }
        let model = 1 / (settings[.standingError] * settings[.standingError])
        let pull = 1 / (settings[.pull] * settings[.pull])
        var (xx, xy, yy) = (pull, 0.0, pull)
        var errors = deviations.map { (xo: 0.0, yo: 0.0, oo: 1 / ($0 * $0)) }
        for observation in observations {
            let place = places[observation.beacon]
            let weight = surveyed.map { 1 / (Self.surveyError * $0[observation.beacon]) } ?? model
            let slope = slopes[observation.source]
            let (dx, dy, dz) = (x - place.x, y - place.y, place.z - height)
            let square = dx * dx + dy * dy + dz * dz + 0.25
            let (jx, jy) = (slope * dx / square, slope * dy / square)
            xx += jx * jx * weight
            xy += jx * jy * weight
            yy += jy * jy * weight
            errors[observation.source].xo -= jx * weight
            errors[observation.source].yo -= jy * weight
            errors[observation.source].oo += weight
        }
        // The block of the inverse for x and y.
        for source in MeasurementSource.allCases {
            let (xo, yo, oo) = errors[source]
            (xx, xy, yy) = (xx - xo * xo / oo, xy - xo * yo / oo, yy - yo * yo / oo)
        }
        let determinant = xx * yy - xy * xy
        return Covariance(xx: yy / determinant, xy: -xy / determinant, yy: xx / determinant)
    }
}

extension FloorGrid {
    /// Summarises all cells.
    ///
    /// - Parameters:
    ///   - observations: The observations of the last update, grouped by their source.
    ///   - expected: Receives the expected level, dB over that at one metre, of each observed beacon.
    mutating func belief(for observations: [BeaconObservation], expected: inout [Double]) -> GridBelief {
        let (area, slotOfBeacon) = (area, slotOfBeacon)
        return levels.withUnsafeBufferPointer { levels in
            GridCells.with(&layers, area) { cells in
                cells.addUp()
                let both = cells[.scratch]
                if let table = levels.baseAddress {
                    for observation in observations {
                        let column = table + slotOfBeacon[observation.beacon] * cells.count
                        expected[observation.beacon] = Self.dot(both, column, cells.count)
                    }
                }
                var belief = Self.moments(both, area)
                for source in MeasurementSource.allCases where !observations.of(source).isEmpty {
                    belief.offsets[source] =
                        Self.dot(both, cells.offset(of: source), cells.count) / belief.weight
                }
                return belief
            }
        }
    }

    /// Receives the variance of each observed beacon's level at a position, dB²; only with a survey.
    func variances(of observations: [BeaconObservation], x: Double, y: Double, into found: inout [Double]) {
        guard !variances.isEmpty else { return }
        let cell = area.cellNearest(x: x, y: y)
        for observation in observations {
            found[observation.beacon] = Double(
                variances[slotOfBeacon[observation.beacon] * area.count + cell]
            )
        }
    }

    /// Mean and covariance of a layer, which need not be normalised.
    static func moments(_ layer: UnsafeMutablePointer<Float>, _ area: GridArea) -> GridBelief {
        // In cells, from the corner.
        var (sum, x, y, xx, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for row in 0..<area.rows {
            let cells = layer + row * area.columns
            var (rowSum, rowX, rowXX) = (0.0, 0.0, 0.0)
            var column = 0
            while column < area.columns {
                let share = Double(cells[column])
                let place = Double(column)
                rowSum += share
                rowX += share * place
                rowXX += share * place * place
                column &+= 1
            }
            let place = Double(row)
            sum += rowSum
            x += rowX
            xx += rowXX
            y += rowSum * place
            xy += rowX * place
            yy += rowSum * place * place
        }
        let (mx, my) = (x / sum, y / sum)
        let square = area.cell * area.cell
        return GridBelief(
            x: area.x + (mx + 0.5) * area.cell,
            y: area.y + (my + 0.5) * area.cell,
            spread: Covariance(
                xx: max(xx / sum - mx * mx, 0) * square,
                xy: (xy / sum - mx * my) * square,
                yy: max(yy / sum - my * my, 0) * square
            ),
            weight: sum
        )
    }

    /// Dot product in four independent sums, so that they run in parallel.
    private static func dot(
        _ layer: UnsafeMutablePointer<Float>,
        _ other: UnsafePointer<Float>,
        _ count: Int
    ) -> Double {
        var (one, two, three, four): (Float, Float, Float, Float) = (0, 0, 0, 0)
        var cell = 0
        while cell &+ 3 < count {
            one += layer[cell] * other[cell]
            two += layer[cell &+ 1] * other[cell &+ 1]
            three += layer[cell &+ 2] * other[cell &+ 2]
            four += layer[cell &+ 3] * other[cell &+ 3]
            cell &+= 4
        }
        while cell < count {
            one += layer[cell] * other[cell]
            cell &+= 1
        }
        return Double(one) + Double(two) + Double(three) + Double(four)
    }
}
