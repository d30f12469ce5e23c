import Flare
import Glibc

/// The probability of each cell of one floor, standing and walking in each direction.
///
/// All memory that an update needs is allocated at the start.
/// - Source: contrib/contract/positioning.md, "6.3 The map"; "6.4 Once a second".
struct FloorGrid: Sendable {
    let area: GridArea
    /// Of the device on this floor, metres.
    let height: Double
    /// The layers of cells one after another, and working rows.
    var layers: [Float]
    /// The expected level of beacons in each cell: a column of cells for each slot.
    var levels: [Float]
    /// The variance of these levels, dB², where there is a survey; else empty.
    private(set) var variances: [Float] = []
    /// What a survey found out about this floor, for each source.
    private(set) var radio = BySource<FloorRadio?>(nil, nil)
    private(set) var slotOfBeacon: [Int]
    private var slots: [Slot]
    private var updates = 0

    private struct Slot {
        var beacon: Int?
        var usedAt = 0
    }

    /// Most beacons in an update; more add no information.
    static let mostBeacons = 64
    init(area: GridArea, height: Double, beacons: Int) {
        self.area = area
        self.height = height
        let slots = min(beacons, Self.mostBeacons)
        layers = Array(repeating: 0, count: GridCells.size(area))
        levels = Array(repeating: 0, count: area.count * slots)
        self.slots = Array(repeating: Slot(), count: slots)
        slotOfBeacon = Array(repeating: 0, count: beacons)
        reset()
    }

    /// Resets to a uniform distribution.
    mutating func reset() {
        let even = 0.5 / Float(area.count)
        GridCells.with(&layers, area) { cells in
            cells[.standing].update(repeating: even, count: cells.count)
            for heading in 0..<GridCells.headings {
                cells.walking(heading).update(repeating: even / Float(GridCells.headings), count: cells.count)
            }
        }
    }

    /// Whether a survey says what to expect here.
    var isSurveyed: Bool { radio.device != nil || radio.receivers != nil }

    /// Expects the levels of a survey from now on, or those of the model; the belief stays.
    mutating func adopt(_ radio: BySource<FloorRadio?>) {
        self.radio = radio
        variances = isSurveyed ? Array(repeating: 0, count: levels.count) : []
        for slot in slots.indices { slots[slot] = Slot() }
    }

    /// Continues with the belief of another grid with the same cells.
    mutating func copyBelief(of other: FloorGrid) {
        guard other.layers.count == layers.count else { return }
        layers = other.layers
    }

    /// Advances the belief by a step of time.
    mutating func predict(_ motion: PeopleMotion, _ chances: MotionChances) {
        let area = area
        GridCells.with(&layers, area) { $0.move(motion, chances, area) }
    }

    /// Takes into account that the device is said to walk with a probability.
    mutating func weigh(walking probability: Double) {
        GridCells.with(&layers, area) { $0.weigh(walking: probability) }
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
            let place = places[observation.beacon]
            fill(oldest, with: observation.beacon, radio[observation.source], at: place, settings)
        }
    }

    /// Fills the table with the levels of receivers that will hear the device, so that copies of this grid share it.
    mutating func expectReceivers(_ beacons: [Int], places: [Point3D], _ settings: GridEstimator.Settings) {
        updates += 1
        for beacon in beacons where slots[slotOfBeacon[beacon]].beacon != beacon {
            guard let free = slots.firstIndex(where: { $0.beacon == nil }) else { return }
            slots[free] = Slot(beacon: beacon, usedAt: updates)
            slotOfBeacon[beacon] = free
            fill(free, with: beacon, radio.receivers, at: places[beacon], settings)
        }
    }

    private mutating func fill(
        _ slot: Int,
        with beacon: Int,
        _ radio: FloorRadio?,
        at place: Point3D,
        _ settings: GridEstimator.Settings
    ) {
        let start = slot * area.count
        if let column = radio?.columns[beacon] {
            column.copy(to: &levels, &variances, at: start)
            return
        }
        let (area, height) = (area, height)
        let model = Float(settings[.spread] * settings[.spread])
        levels.withUnsafeMutableBufferPointer { levels in
            variances.withUnsafeMutableBufferPointer { variances in
                var cell = start
                for row in 0..<area.rows {
                    for column in 0..<area.columns {
                        let slope = area.slope(column, row, to: place, height, settings[.nearest])
                        guard let radio else {
                            levels[cell] = Float(settings[.pathLoss] * slope)
                            if !variances.isEmpty { variances[cell] = model }
                            cell += 1
                            continue
                        }
                        levels[cell] = Float(radio.line.offset + radio.line.exponent * slope)
                        variances[cell] = Float(RadioMap.variance(unsurveyed: slope))
                        cell += 1
                    }
                }
            }
        }
    }
}

extension GridArea {
    /// Upper limit of a squared distance: nothing is received from farther away, m².
    private static let farthest = 1e14

    /// -10 log10 of the distance between a cell and a beacon: how far the level drops for each unit of the exponent.
    ///
    /// Averaged over a cell, the squared distance is larger than that of its middle by cell²/6.
    func slope(
        _ column: Int,
        _ row: Int,
        to place: Point3D,
        _ height: Double,
        _ nearest: Double
    ) -> Double {
        let (dx, dy, dz) = (x(column) - place.x, y(row) - place.y, place.z - height)
        let square = dx * dx + dy * dy + dz * dz + cell * cell / 6
        return -5 * log10(min(max(square, nearest * nearest), Self.farthest))
    }
}
