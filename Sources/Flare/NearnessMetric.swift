/// Measures how far a thing is from a device for nearness.
///
/// In two dimensions the height does not count: a lamp on the ceiling is near to a person below it. A thing on another
/// floor is never near.
package struct NearnessMetric: Sendable, Hashable {
    /// The floors of the environment; `nil` measures in space.
    private let floors: Floors?

    private init(floors: Floors?) { self.floors = floors }

    /// The straight line.
    /// - Source: contrib/contract/flare-protocol.md, "5.2 Distance and nearness".
    package static let space = NearnessMetric(floors: nil)

    /// The distance seen from above, between points of the same floor.
    package static func plane(_ floors: Floors) -> NearnessMetric { NearnessMetric(floors: floors) }

    /// Metres from a device to a thing; `nil` if it is on another floor.
    ///
    /// - Parameter base: Where the thing's zone begins, metres: it is on that floor, however high it hangs.
    package func metres(from device: Point3D, to thing: Point3D, base: Double?) -> Double? {
        guard let floors else { return device.distance(to: thing) }
        guard floors.floor(at: device.z) == floors.floor(at: base ?? thing.z) else { return nil }
        return device.planeDistance(to: thing)
    }
}

extension Point3D {
    /// The distance seen from above, metres.
    package func planeDistance(to other: Point3D) -> Double {
        Point3D(x: x, y: y).distance(to: Point3D(x: other.x, y: other.y))
    }
}
