import Flare
import Glibc

// Bayes' rule with the received levels. The inner loops run over one layer after another, so that the
// compiler can vectorise them.

extension FloorGrid {
    /// The parameters of an update.
    struct Conditions {
        let floor: Int
        let settings: GridEstimator.Settings
        /// The estimated constant error of each source, dB, and its standard deviation.
        let offsets: BySource<(expected: Double, deviation: Double)>
        /// Variance of levels around the model without a survey, dB².
        let spread: Double
        let tails: Float

        init(floor: Int, settings: GridEstimator.Settings, _ offsets: BySource<ReceiverOffset>) {
            self.floor = floor
            self.settings = settings
            self.offsets = offsets.map { ($0.decibels, $0.deviation(settings)) }
            spread = settings[.spread] * settings[.spread]
            tails = Float(settings[.tails])
        }

        /// What is expected of a source's constant error: the mean, dB, and half of the inverse of its variance.
        fileprivate func prior(_ source: MeasurementSource) -> (expected: Float, half: Float) {
            let (expected, deviation) = offsets[source]
            return (Float(expected), Float(0.5 / (deviation * deviation)))
        }

        /// A beacon's level corrected for the loss in the ceilings between.
        func level(of observation: BeaconObservation) -> Double {
            observation.level + settings[.slab] * Double(abs(observation.floor - floor))
        }
    }

    /// A beacon's columns of the table.
    private struct Column {
        let levels: UnsafePointer<Float>
        /// `nil` without a survey.
        let variances: UnsafePointer<Float>?
    }

    /// Most factors 1 + e²/(νV), or V, whose product fits in a Float.
    private static let mostFactors = 4

    /// Updates the grid with the received levels.
    ///
    /// - Parameters:
    ///   - observations: Grouped by their source.
    ///   - times: As if they were received so often, one after the other.
    /// - Returns: The log-likelihood of the observations on this floor.
    mutating func update(
        with observations: [BeaconObservation],
        places: [Point3D],
        _ conditions: Conditions,
        times: Int = 1
    ) -> Double {
        prepare(observations, places: places, conditions.settings)
        let width = isSurveyed ? 0 : Self.logWidth(of: observations, conditions)
        return withLikelihoods(of: observations, places, conditions) { cells, best, _ in
            let leak = conditions.settings[.leak]
            for _ in 1..<max(times, 1) { _ = Self.multiply(cells, best, leak: leak) }
            return Double(best) - width + Self.multiply(cells, best, leak: leak)
        }
    }

    /// What the width of the distribution takes from the log-likelihood where it is the same in all cells: it
    /// matters between a floor with a survey and one without.
    private static func logWidth(of observations: [BeaconObservation], _ conditions: Conditions) -> Double {
        observations.reduce(0) { $0 + 0.5 * Glibc.log(conditions.spread + $1.variance) }
    }

    /// Predicts one beacon's level from the other beacons of the same update alone, without earlier belief.
    ///
    /// - Parameters:
    ///   - observation: The beacon to check.
    ///   - others: The other beacons received with it, grouped by their source; some of them of its own.
    /// - Returns: The measured minus the predicted level, dB, and the device's position by the others.
    mutating func crossCheck(
        _ observation: BeaconObservation,
        against others: [BeaconObservation],
        places: [Point3D],
        _ conditions: Conditions
    ) -> (error: Double, x: Double, y: Double) {
        let area = area
        return withLikelihoods(of: others, places, conditions) { cells, best, column in
            let (share, log) = (cells[.scratch], cells[.logLikelihood])
            let offset = cells.offset(of: observation.source)
            let expected = column(observation).levels
            var (level, sum) = (0.0, 0.0)
            var cell = 0
            while cell < cells.count {
                share[cell] = expf(log[cell] - best)
                level += Double(share[cell] * (expected[cell] + offset[cell]))
                sum += Double(share[cell])
                cell &+= 1
            }
            let belief = Self.moments(share, area)
            return (conditions.level(of: observation) - level / sum, belief.x, belief.y)
        }
    }

    /// Fills the layers with each cell's log-likelihood of the observations, without earlier belief.
    private mutating func withLikelihoods<Result>(
        of observations: [BeaconObservation],
        _ places: [Point3D],
        _ conditions: Conditions,
        _ body: (_ cells: GridCells, _ best: Float, _ column: (BeaconObservation) -> Column) -> Result
    ) -> Result {
        let (area, slotOfBeacon) = (area, slotOfBeacon)
        let middle = Self.middle(of: observations, places, conditions)
        return levels.withUnsafeBufferPointer { levels in
            variances.withUnsafeBufferPointer { variances in
                GridCells.with(&layers, area) { cells in
                    guard let table = levels.baseAddress else { preconditionFailure("a grid has levels") }
                    let variances = variances.isEmpty ? nil : variances.baseAddress
                    func column(_ observation: BeaconObservation) -> Column {
                        let start = slotOfBeacon[observation.beacon] * cells.count
                        return Column(levels: table + start, variances: variances.map { $0 + start })
                    }
                    cells[.logLikelihood].update(repeating: 0, count: cells.count)
                    for source in MeasurementSource.allCases {
                        let own = observations.of(source)
                        guard !own.isEmpty else { continue }
                        Self.findOffset(own, column, cells, conditions)
                        Self.addLikelihoods(own, column, cells, conditions)
                    }
                    let best = Self.addPriors(observations, cells, area, middle, conditions)
                    return body(cells, best, column)
                }
            }
        }
    }

    /// The mean of the beacons' positions, weighted by 1/d².
    private static func middle(
        of observations: [BeaconObservation],
        _ places: [Point3D],
        _ conditions: Conditions
    ) -> (x: Double, y: Double) {
        var (x, y, sum) = (0.0, 0.0, 0.0)
        let reference = observations.first.map { conditions.offsets[$0.source].expected } ?? 0
        for observation in observations {
            // What all have in common cancels out.
            let offset = conditions.offsets[observation.source].expected - reference
            let weight = pow(10, (conditions.level(of: observation) - offset) / 10) * observation.share
            x += weight * places[observation.beacon].x
            y += weight * places[observation.beacon].y
            sum += weight
        }
        return (x / sum, y / sum)
    }

    /// For each cell, the constant error of one source that fits best if the device is there.
    private static func findOffset(
        _ observations: ArraySlice<BeaconObservation>,
        _ column: (BeaconObservation) -> Column,
        _ cells: GridCells,
        _ conditions: Conditions
    ) {
        guard let source = observations.first?.source else { return }
        let prior = conditions.prior(source)
        let (weight, expected) = (Float(2 * prior.half), prior.expected)
        let (offset, weights, weighted) = (cells.offset(of: source), cells[.weights], cells[.weighted])
        offset.update(repeating: expected, count: cells.count)
        for _ in 0..<3 {
            weights.update(repeating: weight, count: cells.count)
            weighted.update(repeating: weight * expected, count: cells.count)
            for observation in observations {
                weigh(observation, column(observation), cells, conditions)
            }
            var cell = 0
            while cell < cells.count {
                offset[cell] = weighted[cell] / weights[cell]
                cell &+= 1
            }
        }
    }

    /// Adds one beacon to the weighted mean that becomes the offset.
    private static func weigh(
        _ observation: BeaconObservation,
        _ column: Column,
        _ cells: GridCells,
        _ conditions: Conditions
    ) {
        let (weights, weighted) = (cells[.weights], cells[.weighted])
        let offset = cells.offset(of: observation.source)
        let (tails, expectedLevel) = (conditions.tails, column.levels)
        let level = Float(conditions.level(of: observation))
        var cell = 0
        if let variances = column.variances {
            let extra = Float(observation.variance)
            while cell < cells.count {
                let loss = level - expectedLevel[cell]
                let error = loss - offset[cell]
                let weight = (tails + 1) / (tails * (variances[cell] + extra) + error * error)
                weights[cell] += weight
                weighted[cell] += weight * loss
                cell &+= 1
            }
            return
        }
        let scale = tails * Float(conditions.spread + observation.variance)
        while cell < cells.count {
            let loss = level - expectedLevel[cell]
            let error = loss - offset[cell]
            let weight = (tails + 1) / (scale + error * error)
            weights[cell] += weight
            weighted[cell] += weight * loss
            cell &+= 1
        }
    }

    /// Adds each cell's log-likelihood of the observations of one source: Student's t for each beacon.
    private static func addLikelihoods(
        _ observations: ArraySlice<BeaconObservation>,
        _ column: (BeaconObservation) -> Column,
        _ cells: GridCells,
        _ conditions: Conditions
    ) {
        let tails = conditions.tails
        // The layer of weights is free again.
        let (product, widths, log) = (cells[.scratch], cells[.weights], cells[.logLikelihood])
        for first in stride(from: observations.startIndex, to: observations.endIndex, by: mostFactors) {
            let some = observations[first..<min(first + mostFactors, observations.endIndex)]
            product.update(repeating: 1, count: cells.count)
            widths.update(repeating: 1, count: cells.count)
            var isSurveyed = false
            for observation in some {
                let column = column(observation)
                isSurveyed = column.variances != nil
                multiply(observation, column, cells, conditions)
            }
            var cell = 0
            while cell < cells.count {
                log[cell] -= (tails + 1) / 2 * logf(product[cell])
                cell &+= 1
            }
            guard isSurveyed else { continue }
            cell = 0
            while cell < cells.count {
                log[cell] -= 0.5 * logf(widths[cell])
                cell &+= 1
            }
        }
    }

    /// Multiplies one beacon's 1 + e²/(νV) to the products, and its V where it differs from cell to cell.
    private static func multiply(
        _ observation: BeaconObservation,
        _ column: Column,
        _ cells: GridCells,
        _ conditions: Conditions
    ) {
        let (product, widths) = (cells[.scratch], cells[.weights])
        let offset = cells.offset(of: observation.source)
        let (expectedLevel, level) = (column.levels, Float(conditions.level(of: observation)))
        var cell = 0
        if let variances = column.variances {
            let (extra, part) = (Float(observation.variance), 1 / conditions.tails)
            while cell < cells.count {
                let error = level - expectedLevel[cell] - offset[cell]
                let width = variances[cell] + extra
                product[cell] *= 1 + error * error * part / width
                widths[cell] *= width
                cell &+= 1
            }
            return
        }
        let scale = 1 / (conditions.tails * Float(conditions.spread + observation.variance))
        while cell < cells.count {
            let error = level - expectedLevel[cell] - offset[cell]
            product[cell] *= 1 + error * error * scale
            cell &+= 1
        }
    }

    /// Adds the priors: the constant error of each source, and that the device is not far from the received beacons.
    ///
    /// - Returns: The largest logarithm.
    private static func addPriors(
        _ observations: [BeaconObservation],
        _ cells: GridCells,
        _ area: GridArea,
        _ middle: (x: Double, y: Double),
        _ conditions: Conditions
    ) -> Float {
        let log = cells[.logLikelihood]
        let first = observations.first?.source ?? .device
        if let last = observations.last?.source, last != first {
            let (offset, prior) = (cells.offset(of: last), conditions.prior(last))
            var cell = 0
            while cell < cells.count {
                let error = offset[cell] - prior.expected
                log[cell] -= error * error * prior.half
                cell &+= 1
            }
        }
        let (offset, prior) = (cells.offset(of: first), conditions.prior(first))
        let (expected, half) = (prior.expected, prior.half)
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

    /// Multiplies belief and likelihood, and adds the leak.
    ///
    /// - Returns: The logarithm of the sum before normalisation, relative to the largest likelihood.
    private static func multiply(_ cells: GridCells, _ best: Float, leak: Double) -> Double {
        let (likelihood, log) = (cells[.scratch], cells[.logLikelihood])
        var cell = 0
        while cell < cells.count {
            likelihood[cell] = expf(log[cell] - best)
            cell &+= 1
        }
        var sum = GridCells.multiply(cells[.standing], likelihood, cells.count)
        for heading in 0..<GridCells.headings {
            sum += GridCells.multiply(cells.walking(heading), likelihood, cells.count)
        }
        let scale = Float(1 / (sum * (1 + leak)))
        let drop = Float(leak / (2 * Double(cells.count) * (1 + leak)))
        GridCells.normalise(cells[.standing], by: scale, plus: drop, cells.count)
        for heading in 0..<GridCells.headings {
            let part = drop / Float(GridCells.headings)
            GridCells.normalise(cells.walking(heading), by: scale, plus: part, cells.count)
        }
        return Glibc.log(sum)
    }
}
