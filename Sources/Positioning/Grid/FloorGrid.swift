import Flare
import Glibc

/// The probability of each cell of one floor, standing and walking.
///
/// All memory that an update needs is allocated at the start.
/// - Source: contrib/contract/positioning.md, "6.3 The map"; "6.4 Once a second".
struct FloorGrid: Sendable {
    let area: GridArea
    /// Of the device on this floor, metres.
    let height: Double
    /// The layers of cells one after another, and room for a padded row.
    var layers: [Float]
    /// The expected level of beacons in each cell: a column of cells for each slot.
    var levels: [Float]
    private(set) var slotOfBeacon: [Int]
    private var slots: [Slot]
    private var updates = 0

    private struct Slot {
        var beacon: Int?
        var usedAt = 0
    }

    /// Most beacons in an update; more add no information.
    static let mostBeacons = 64
    /// Upper limit of a squared distance: nothing is received from farther away, m².
    private static let farthest = 1e14

    init(area: GridArea, height: Double, beacons: Int) {
        self.area = area
        self.height = height
        let slots = min(beacons, Self.mostBeacons)
        let padding = area.columns + 2 * MotionBlur.widest
        layers = Array(repeating: 0, count: area.count * GridCells.Layer.allCases.count + padding)
        levels = Array(repeating: 0, count: area.count * slots)
        self.slots = Array(repeating: Slot(), count: slots)
        slotOfBeacon = Array(repeating: 0, count: beacons)
        reset()
    }

    /// Resets to a uniform distribution.
    mutating func reset() {
        let even = 0.5 / Float(area.count)
        GridCells.with(&layers, area.count) { cells in
            cells[.standing].update(repeating: even, count: cells.count)
            cells[.walking].update(repeating: even, count: cells.count)
        }
    }

    /// Continues with the belief of another grid with the same cells.
    mutating func copyBelief(of other: FloorGrid) {
        guard other.layers.count == layers.count else { return }
        layers = other.layers
    }

    /// Advances the belief by a step of time.
    ///
    /// - Parameters:
    ///   - starting: Probability that a standing person begins to walk.
    ///   - stopping: Probability that a walking person stops.
    mutating func predict(starting: Double, stopping: Double, walking: MotionBlur, standing: MotionBlur) {
        let (area, start, stop) = (area, Float(starting), Float(stopping))
        GridCells.with(&layers, area.count) { cells in
            let (still, moving) = (cells[.standing], cells[.walking])
            var cell = 0
            while cell < cells.count {
                let (before, on) = (still[cell], moving[cell])
                still[cell] = (1 - start) * before + stop * on
                moving[cell] = start * before + (1 - stop) * on
                cell &+= 1
            }
            cells.blur(.walking, walking, area)
            cells.blur(.standing, standing, area)
        }
    }

    /// Ensures that the expected levels of the received beacons are in the table, replacing those that were
    /// not received for longest.
    mutating func prepare(
        _ observations: [BeaconObservation],
        places: [Point3D],
        _ settings: GridEstimator.Settings
    ) {
        updates += 1
        for observation in observations
        where slots[slotOfBeacon[observation.beacon]].beacon == observation.beacon {
            slots[slotOfBeacon[observation.beacon]].usedAt = updates
        }
        for observation in observations
        where slots[slotOfBeacon[observation.beacon]].beacon != observation.beacon {
            var oldest = 0
            for slot in slots.indices where slots[slot].usedAt < slots[oldest].usedAt { oldest = slot }
            slots[oldest] = Slot(beacon: observation.beacon, usedAt: updates)
            slotOfBeacon[observation.beacon] = oldest
            fill(oldest, from: places[observation.beacon], settings)
        }
    }

    private mutating func fill(_ slot: Int, from place: Point3D, _ settings: GridEstimator.Settings) {
        let (area, nearest) = (area, settings[.nearest])
        let up = place.z - height
        // Averaged over a cell, the distance is larger than that of its middle by this term.
        let rest = up * up + area.cell * area.cell / 6
        let slope = -5 * settings[.pathLoss]
        levels.withUnsafeMutableBufferPointer { levels in
            var cell = slot * area.count
            for row in 0..<area.rows {
                let dy = area.y(row) - place.y
                for column in 0..<area.columns {
                    let dx = area.x(column) - place.x
                    let square = min(max(dx * dx + dy * dy + rest, nearest * nearest), Self.farthest)
                    levels[cell] = Float(slope * log10(square))
                    cell += 1
                }
            }
        }
    }
}
