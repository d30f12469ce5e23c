import Glibc

/// The spread of a position in a time step: weights for a cell and its neighbours along one axis.
/// - Source: contrib/contract/positioning.md, "6.4 Once a second".
struct MotionBlur: Sendable {
    private(set) var weights: [Float] = []
    var radius: Int { weights.count / 2 }

    /// Largest radius, cells; wider blurs are cut, because after such a long step every cell is possible.
    static let widest = 64

    /// - Parameter deviation: Standard deviation, in cells.
    mutating func set(deviation: Double) {
        let radius = min(Self.widest, Int(4 * max(deviation, 0) + 0.5))
        weights.removeAll(keepingCapacity: true)
        weights.reserveCapacity(2 * Self.widest + 1)
        var sum = 0.0
        for offset in -radius...radius { sum += Self.weight(offset, deviation) }
        for offset in -radius...radius { weights.append(Float(Self.weight(offset, deviation) / sum)) }
    }

    private static func weight(_ offset: Int, _ deviation: Double) -> Double {
        guard offset != 0 else { return 1 }
        let distance = Double(offset) / deviation
        return exp(-0.5 * distance * distance)
    }
}
