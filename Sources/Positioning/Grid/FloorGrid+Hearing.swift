import Flare
import Glibc

// Bayes' rule with what the beacons say. The inner loops go through one layer after another, so that the compiler
// can do several cells at once.

extension FloorGrid {
    /// What an update needs beside what is heard.
    struct Conditions {
        let floor: Int
        let settings: GridEstimator.Settings
        /// The receiver's constant error as far as it is known, dB, and how far it may be off that.
        let offset: Double
        let offsetDeviation: Double

        /// What a beacon is heard with, without what the ceilings between take away.
        func level(of look: BeaconObservation) -> Double {
            look.level + settings[.slab] * Double(abs(look.floor - floor))
        }
    }

    /// So many factors 1 + e²/(νV) have a product that a Float can hold.
    private static let mostFactors = 4

    /// Takes in what is heard.
    ///
    /// - Returns: How well it fits this floor: the logarithm of how likely it was.
    mutating func hear(_ looks: [BeaconObservation], places: [Point3D], _ conditions: Conditions) -> Double {
        prepare(looks, places: places, conditions.settings)
        return reckon(looks, places, conditions) { cells, best, _ in
            Double(best) + Self.multiply(cells, best, leak: conditions.settings[.leak])
        }
    }

    /// What other beacons say of one, without what is known of the past.
    ///
    /// - Parameters:
    ///   - look: One that was just heard.
    ///   - others: Those that are asked, which were heard with it.
    /// - Returns: How much stronger it is heard than they let expect, dB, and where the device is by them.
    mutating func witness(
        of look: BeaconObservation,
        _ others: [BeaconObservation],
        places: [Point3D],
        _ conditions: Conditions
    ) -> (error: Double, x: Double, y: Double) {
        let area = area
        return reckon(others, places, conditions) { cells, best, column in
            let (share, log, offset) = (cells[.scratch], cells[.logLikelihood], cells[.offset])
            let expected = column(look)
            var (level, sum) = (0.0, 0.0)
            var cell = 0
            while cell < cells.count {
                share[cell] = expf(log[cell] - best)
                level += Double(share[cell] * (expected[cell] + offset[cell]))
                sum += Double(share[cell])
                cell &+= 1
            }
            let belief = Self.moments(share, area, offset: 0)
            return (conditions.level(of: look) - level / sum, belief.x, belief.y)
        }
    }

    /// Fills the layers with how likely what is heard is in each cell, by itself.
    private mutating func reckon<Result>(
        _ looks: [BeaconObservation],
        _ places: [Point3D],
        _ conditions: Conditions,
        _ body: (_ cells: GridCells, _ best: Float, _ column: (BeaconObservation) -> UnsafePointer<Float>) ->
            Result
    ) -> Result {
        let (area, slotOfBeacon) = (area, slotOfBeacon)
        let middle = Self.middle(of: looks, places, conditions)
        return levels.withUnsafeBufferPointer { levels in
            GridCells.with(&layers, area.count) { cells in
                guard let table = levels.baseAddress else { preconditionFailure("a grid has levels") }
                func column(_ look: BeaconObservation) -> UnsafePointer<Float> {
                    table + slotOfBeacon[look.beacon] * cells.count
                }
                Self.findOffset(looks, column, cells, conditions)
                Self.weigh(looks, column, cells, conditions)
                return body(cells, Self.addPriors(cells, area, middle, conditions), column)
            }
        }
    }

    /// The mean of the beacons' places, weighted by 1/d².
    private static func middle(
        of looks: [BeaconObservation],
        _ places: [Point3D],
        _ conditions: Conditions
    ) -> (x: Double, y: Double) {
        var (x, y, sum) = (0.0, 0.0, 0.0)
        for look in looks {
            let weight = pow(10, conditions.level(of: look) / 10) * look.share
            x += weight * places[look.beacon].x
            y += weight * places[look.beacon].y
            sum += weight
        }
        return (x / sum, y / sum)
    }

    /// The receiver's error that fits best if the device is in a cell, for each cell.
    private static func findOffset(
        _ looks: [BeaconObservation],
        _ column: (BeaconObservation) -> UnsafePointer<Float>,
        _ cells: GridCells,
        _ conditions: Conditions
    ) {
        let tails = Float(conditions.settings[.tails])
        let expected = Float(conditions.offset)
        let prior = Float(1 / (conditions.offsetDeviation * conditions.offsetDeviation))
        let (offset, weights, weighted) = (cells[.offset], cells[.weights], cells[.weighted])
        offset.update(repeating: expected, count: cells.count)
        for _ in 0..<3 {
            weights.update(repeating: prior, count: cells.count)
            weighted.update(repeating: prior * expected, count: cells.count)
            for look in looks {
                let heard = column(look)
                let level = Float(conditions.level(of: look))
                let scale = tails * Float(look.variance)
                var cell = 0
                while cell < cells.count {
                    let loss = level - heard[cell]
                    let error = loss - offset[cell]
                    let weight = (tails + 1) / (scale + error * error)
                    weights[cell] += weight
                    weighted[cell] += weight * loss
                    cell &+= 1
                }
            }
            var cell = 0
            while cell < cells.count {
                offset[cell] = weighted[cell] / weights[cell]
                cell &+= 1
            }
        }
    }

    /// How likely what is heard is in each cell, as a logarithm: Student's t for each beacon.
    private static func weigh(
        _ looks: [BeaconObservation],
        _ column: (BeaconObservation) -> UnsafePointer<Float>,
        _ cells: GridCells,
        _ conditions: Conditions
    ) {
        let tails = Float(conditions.settings[.tails])
        let (offset, product, log) = (cells[.offset], cells[.scratch], cells[.logLikelihood])
        log.update(repeating: 0, count: cells.count)
        for first in stride(from: 0, to: looks.count, by: mostFactors) {
            product.update(repeating: 1, count: cells.count)
            for look in looks[first..<min(first + mostFactors, looks.count)] {
                let heard = column(look)
                let level = Float(conditions.level(of: look))
                let scale = 1 / (tails * Float(look.variance))
                var cell = 0
                while cell < cells.count {
                    let error = level - heard[cell] - offset[cell]
                    product[cell] *= 1 + error * error * scale
                    cell &+= 1
                }
            }
            var cell = 0
            while cell < cells.count {
                log[cell] -= (tails + 1) / 2 * logf(product[cell])
                cell &+= 1
            }
        }
    }

    /// What is known beforehand: the receiver's error, and that one is not far from the middle of what is heard.
    ///
    /// - Returns: The largest logarithm.
    private static func addPriors(
        _ cells: GridCells,
        _ area: GridArea,
        _ middle: (x: Double, y: Double),
        _ conditions: Conditions
    ) -> Float {
        let (log, offset) = (cells[.logLikelihood], cells[.offset])
        let expected = Float(conditions.offset)
        let half = Float(0.5 / (conditions.offsetDeviation * conditions.offsetDeviation))
        let pull = 0.5 / (conditions.settings[.pull] * conditions.settings[.pull])
        var best = -Float.infinity
        for row in 0..<area.rows {
            let dy = area.y(row) - middle.y
            var cell = row * area.columns
            var column = 0
            while column < area.columns {
                let dx = area.x(column) - middle.x
                let error = offset[cell] - expected
                log[cell] -= error * error * half + Float((dx * dx + dy * dy) * pull)
                if log[cell] > best { best = log[cell] }
                column &+= 1
                cell &+= 1
            }
        }
        return best
    }

    /// Bayes' rule, and the leak.
    ///
    /// - Returns: The logarithm of what the whole came to, apart from the largest likelihood.
    private static func multiply(_ cells: GridCells, _ best: Float, leak: Double) -> Double {
        let (still, moving, log) = (cells[.standing], cells[.walking], cells[.logLikelihood])
        var sum = 0.0
        var cell = 0
        while cell < cells.count {
            let likelihood = expf(log[cell] - best)
            still[cell] *= likelihood
            moving[cell] *= likelihood
            sum += Double(still[cell] + moving[cell])
            cell &+= 1
        }
        let scale = Float(1 / (sum * (1 + leak)))
        let drop = Float(leak / (2 * Double(cells.count) * (1 + leak)))
        cell = 0
        while cell < cells.count {
            still[cell] = still[cell] * scale + drop
            moving[cell] = moving[cell] * scale + drop
            cell &+= 1
        }
        return Glibc.log(sum)
    }
}
