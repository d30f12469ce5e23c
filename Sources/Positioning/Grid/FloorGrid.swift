import Flare
import Glibc

/// How likely the device is in each cell of one floor, standing and walking.
///
/// Everything an update needs is there from the start: none allocates memory.
/// - Source: positioning 6.3 and 6.4.
struct FloorGrid: Sendable {
    let area: GridArea
    /// Of the device on this floor, metres.
    let height: Double
    /// One layer of cells after another, and room for a row with what is beyond its ends.
    var layers: [Float]
    /// The levels at which beacons are heard in each cell, a column of cells for each slot.
    var levels: [Float]
    private(set) var slotOfBeacon: [Int]
    private var slots: [Slot]
    private var updates = 0

    private struct Slot {
        var beacon: Int?
        var usedAt = 0
    }

    /// More beacons than this at once tell nothing new.
    static let mostBeacons = 64
    /// Farther than this nothing can be heard anyway, metres squared.
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
        forget()
    }

    /// Back to knowing nothing.
    mutating func forget() {
        let even = 0.5 / Float(area.count)
        GridCells.with(&layers, area.count) { cells in
            cells[.standing].update(repeating: even, count: cells.count)
            cells[.walking].update(repeating: even, count: cells.count)
        }
    }

    /// Goes on with what another grid of the same cells knows.
    mutating func keepBelief(of other: FloorGrid) {
        guard other.layers.count == layers.count else { return }
        layers = other.layers
    }

    /// Lets a step of time pass.
    ///
    /// - Parameters:
    ///   - starting: How likely one who stands begins to walk in it.
    ///   - stopping: How likely one who walks stops in it.
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

    /// Sees to it that the levels of the beacons that are heard are in the table; those that were not heard for
    /// longest make room.
    mutating func prepare(_ looks: [BeaconObservation], places: [Point3D], _ settings: GridEstimator.Settings)
    {
        updates += 1
        for look in looks where slots[slotOfBeacon[look.beacon]].beacon == look.beacon {
            slots[slotOfBeacon[look.beacon]].usedAt = updates
        }
        for look in looks where slots[slotOfBeacon[look.beacon]].beacon != look.beacon {
            var oldest = 0
            for slot in slots.indices where slots[slot].usedAt < slots[oldest].usedAt { oldest = slot }
            slots[oldest] = Slot(beacon: look.beacon, usedAt: updates)
            slotOfBeacon[look.beacon] = oldest
            fill(oldest, from: places[look.beacon], settings)
        }
    }

    private mutating func fill(_ slot: Int, from place: Point3D, _ settings: GridEstimator.Settings) {
        let (area, nearest) = (area, settings[.nearest])
        let up = place.z - height
        // A cell is not a point: on average one is so much farther from its middle.
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
