package import Flare

/// The walls of a place: the perimeters of its zones in the plane.
package struct WallPlan: Sendable, Hashable {
    private let rooms: [Box]

    /// Two perimeters nearer than this are two sides of the same wall, metres.
    private static let thickness = 0.3

    package init(rooms: [Box]) { self.rooms = rooms }

    /// The number of walls between two points.
    package func walls(from start: Point3D, to end: Point3D) -> Int {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0, length.isFinite else { return 0 }
        var crossings: [Double] = []
        for room in rooms {
            let (left, bottom) = (room.origin.x, room.origin.y)
            let (right, top) = (left + room.width, bottom + room.height)
            for x in [left, right] where dx != 0 {
                let part = (x - start.x) / dx
                let y = start.y + part * dy
                if part > 0, part < 1, y >= bottom, y <= top { crossings.append(part * length) }
            }
            for y in [bottom, top] where dy != 0 {
                let part = (y - start.y) / dy
                let x = start.x + part * dx
                if part > 0, part < 1, x >= left, x <= right { crossings.append(part * length) }
            }
        }
        var count = 0
        var latest = -Double.infinity
        for crossing in crossings.sorted() where crossing - latest > Self.thickness {
            count += 1
            latest = crossing
        }
        return count
    }
}
