package import Flare
import Glibc

/// A walk through way points, with stops, at one speed.
package struct WalkRoute: Sendable, Hashable {
    package struct WayPoint: Sendable, Hashable {
        package var position: Point3D
        package var staySeconds: Double

        package init(_ position: Point3D, staySeconds: Double = 0) {
            self.position = position
            self.staySeconds = staySeconds
        }
    }

    /// Where the walker is and looks at one moment.
    package struct Pose: Sendable, Hashable {
        package var position: Point3D
        /// Unit vector in the plane.
        package var lookX: Double
        package var lookY: Double
        package var isMoving: Bool
    }

    private struct Leg: Sendable, Hashable {
        let start: Double
        let from: Point3D
        let to: Point3D
        let walkSeconds: Double
        let staySeconds: Double
        let lookX: Double
        let lookY: Double
        var end: Double { start + walkSeconds + staySeconds }
    }

    private let legs: [Leg]
    package let durationSeconds: Double

    /// - Parameters:
    ///   - wayPoints: The first is where the walk begins.
    ///   - isClosed: Whether it ends where it began.
    ///   - metresPerSecond: Above 0; slower than 0.1 counts as 0.1.
    package init(wayPoints: [WayPoint], isClosed: Bool, metresPerSecond: Double = 1) {
        let speed = max(metresPerSecond, 0.1)
        var legs: [Leg] = []
        var time = 0.0
        var look = (x: 1.0, y: 0.0)
        func walk(from: Point3D, to: WayPoint) {
            let distance = from.distance(to: to.position)
            let (dx, dy) = (to.position.x - from.x, to.position.y - from.y)
            let plane = hypot(dx, dy)
            if plane > 0 { look = (dx / plane, dy / plane) }
            let leg = Leg(
                start: time,
                from: from,
                to: to.position,
                walkSeconds: distance / speed,
                staySeconds: max(to.staySeconds, 0),
                lookX: look.x,
                lookY: look.y
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

    /// The pose at a time in seconds since the start; before and after the walk its first and last.
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
            lookX: leg.lookX,
            lookY: leg.lookY,
            isMoving: fraction > 0 && fraction < 1
        )
    }
}
