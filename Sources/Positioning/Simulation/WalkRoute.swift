package import Flare
import Glibc

/// A walk through way points, with stops, at constant speed.
package struct WalkRoute: Sendable, Hashable {
    package struct WayPoint: Sendable, Hashable {
        package var position: Point3D
        package var staySeconds: Double

        package init(_ position: Point3D, staySeconds: Double = 0) {
            self.position = position
            self.staySeconds = staySeconds
        }
    }

    /// The walker's position and viewing direction at one instant.
    package struct Pose: Sendable, Hashable {
        package var position: Point3D
        /// Unit vector in the plane.
        package var facingX: Double
        package var facingY: Double
        package var isMoving: Bool
    }

    private struct Leg: Sendable, Hashable {
        let start: Double
        let from: Point3D
        let to: Point3D
        let walkSeconds: Double
        let staySeconds: Double
        let facingX: Double
        let facingY: Double
        var end: Double { start + walkSeconds + staySeconds }
    }

    private let legs: [Leg]
    package let durationSeconds: Double

    /// - Parameters:
    ///   - wayPoints: The walk begins at the first.
    ///   - isClosed: Whether it returns to the first.
    ///   - metresPerSecond: Above 0; values below 0.1 are raised to 0.1.
    package init(wayPoints: [WayPoint], isClosed: Bool, metresPerSecond: Double = 1) {
        let speed = max(metresPerSecond, 0.1)
        var legs: [Leg] = []
        var time = 0.0
        var facing = (x: 1.0, y: 0.0)
        func walk(from: Point3D, to: WayPoint) {
            let distance = from.distance(to: to.position)
            let (dx, dy) = (to.position.x - from.x, to.position.y - from.y)
            let plane = hypot(dx, dy)
            if plane > 0 { facing = (dx / plane, dy / plane) }
            let leg = Leg(
                start: time,
                from: from,
                to: to.position,
                walkSeconds: distance / speed,
                staySeconds: max(to.staySeconds, 0),
                facingX: facing.x,
                facingY: facing.y
            )
            legs.append(leg)
            time = leg.end
        }
        if let first = wayPoints.first {
            var place = first.position
            for point in wayPoints {
                walk(from: place, to: point)
                place = point.position
            }
            if isClosed { walk(from: place, to: WayPoint(first.position)) }
        }
        self.legs = legs
        durationSeconds = time
    }

    /// The pose at a time in seconds since the start, clamped to the walk.
    package func pose(at time: Double) -> Pose? {
        guard let leg = legs.first(where: { time < $0.end }) ?? legs.last else { return nil }
        let fraction = leg.walkSeconds > 0 ? min(max((time - leg.start) / leg.walkSeconds, 0), 1) : 1
        let position = Point3D(
            x: leg.from.x + fraction * (leg.to.x - leg.from.x),
            y: leg.from.y + fraction * (leg.to.y - leg.from.y),
            z: leg.from.z + fraction * (leg.to.z - leg.from.z)
        )
        return Pose(
            position: position,
            facingX: leg.facingX,
            facingY: leg.facingY,
            isMoving: fraction > 0 && fraction < 1
        )
    }
}
