package import Flare

/// Detects whether a device is moving, from one position a second.
///
/// It is moving when it covered some distance within the last seconds; jitter around a place does not count.
package struct MotionDetector: Sendable, Hashable {
    private var positions: [Point3D] = []

    /// How many positions are compared, and the least distance between the first and the last: 1.5 m in 4 s
    /// is slower than a walk and more than the jitter of beacon positions.
    private static let span = 5
    private static let metres = 1.5

    package init() {}

    /// Adds the next position.
    package mutating func update(with position: Point3D) -> Bool {
        positions.append(position)
        if positions.count > Self.span { positions.removeFirst() }
        guard let first = positions.first else { return false }
        return first.distance(to: position) >= Self.metres
    }
}
