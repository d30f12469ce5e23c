import Glibc

/// The motion of a position in a time step along one axis: weights for a cell and its neighbours.
/// - Source: contrib/contract/positioning.md, "6.4 Once a second".
struct MotionBlur: Sendable {
    /// The weight of the cell before by `radius`, … of the cell after by `radius`.
    private(set) var weights: [Float] = []
    var radius: Int { weights.count / 2 }

    /// Largest radius, cells; wider blurs are cut, because after such a long step every cell is possible.
    static let widest = 64
    /// Least deviation with a shift, cells: less would hold a walker within cells larger than a step.
    private static let leastDeviation = 0.4

    /// - Parameters:
    ///   - deviation: Standard deviation, in cells.
    ///   - shift: The mean motion, in cells.
    mutating func set(deviation: Double, shift: Double = 0) {
        let shift = min(max(shift, -Double(Self.widest)), Double(Self.widest))
        let deviation = shift == 0 ? max(deviation, 0) : max(deviation, Self.leastDeviation)
        let reach = shift == 0 ? 4 * deviation + 0.5 : 3.5 * deviation + abs(shift) + 1
        let radius = Int(min(Double(Self.widest), reach))
        weights.removeAll(keepingCapacity: true)
        weights.reserveCapacity(2 * Self.widest + 1)
        var sum = 0.0
        for offset in -radius...radius { sum += Self.weight(Double(offset) + shift, deviation) }
        for offset in -radius...radius {
            weights.append(Float(Self.weight(Double(offset) + shift, deviation) / sum))
        }
    }

    private static func weight(_ away: Double, _ deviation: Double) -> Double {
        guard away != 0 else { return 1 }
        let distance = away / deviation
        return exp(-0.5 * distance * distance)
    }
}

/// The motion of people in a time step: standing, and walking in each direction.
struct PeopleMotion: Sendable {
    /// Seconds.
    private(set) var step = 0.0
    private(set) var standing = MotionBlur()
    /// Along x and along y, for each heading.
    private(set) var walkingX = Array(repeating: MotionBlur(), count: GridCells.headings)
    private(set) var walkingY = Array(repeating: MotionBlur(), count: GridCells.headings)

    /// - Parameters:
    ///   - step: Seconds.
    ///   - cell: The side of a cell, metres.
    mutating func set(step: Double, cell: Double, _ settings: GridEstimator.Settings) {
        guard self.step != step else { return }
        self.step = step
        standing.set(deviation: settings[.standingBlur] * step.squareRoot() / cell)
        let deviation = settings[.walkingBlur] * step.squareRoot() / cell
        let way = settings[.walkingSpeed] * step / cell
        for heading in 0..<GridCells.headings {
            let angle = 2 * Double.pi * Double(heading) / Double(GridCells.headings)
            walkingX[heading].set(deviation: deviation, shift: Self.shift(way * cos(angle)))
            walkingY[heading].set(deviation: deviation, shift: Self.shift(way * sin(angle)))
        }
    }

    /// Without the rounding errors of a right angle.
    private static func shift(_ cells: Double) -> Double { abs(cells) < 1e-9 ? 0 : cells }
}

/// The probabilities of a change between standing and walking, and of a walker's direction, in a step of time.
struct MotionChances: Sendable {
    let starting: Float
    let stopping: Float
    let keeping: Float

    init(step: Double, _ settings: GridEstimator.Settings) {
        starting = Float(1 - pow(1 - settings[.starting], step))
        stopping = Float(1 - pow(1 - settings[.stopping], step))
        keeping = Float(pow(settings[.keepingHeading], step))
    }
}
