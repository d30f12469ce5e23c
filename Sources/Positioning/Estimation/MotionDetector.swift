package import Flare

/// Whether a device is on its way, from its positions once a second.
///
/// It is when its way over the last seconds leads somewhere: positions that only jitter about a place do not.
package struct MotionDetector: Sendable, Hashable {
    private var positions: [Point3D] = []

    /// How many positions are looked at, and the metres between the ends that count as a way: 1.5 m in 4 s is slower than
    /// a walk and more than the jitter of beacon positions.
    private static let span = 5
    private static let metres = 1.5

    package init() {}

    /// Takes in the next position.
    package mutating func isMoving(at position: Point3D) -> Bool {
        positions.append(position)
        if positions.count > Self.span { positions.removeFirst() }
        guard let first = positions.first else { return false }
        return first.distance(to: position) >= Self.metres
    }
}
