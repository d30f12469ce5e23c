package import Flare
import Glibc

extension WalkRoute {
    /// Time spent at each place, seconds.
    private static let staySeconds = 15.0
    /// Distance from the place at which the visitor stops, metres in the plane.
    private static let stopMetres = 0.2
    /// Distance before the first place at which the walk begins, metres.
    private static let approachMetres = 3.0
    /// Height of the device above the floor.
    private static let deviceHeightMetres = 1.1

    /// A closed walk that stops at each place, always going to the nearest unvisited one next.
    ///
    /// It begins a few metres before the first place, on the way from the last, and stays within the bounds.
    /// - Parameter floor: Height of the floor, metres.
    package init(visiting places: [Point3D], within bounds: Box?, floor: Double) {
        let height = floor + Self.deviceHeightMetres
        let tour = Self.tour(through: places).map { Point3D(x: $0.x, y: $0.y, z: height) }
        guard let first = tour.first, let last = tour.last else {
            self.init(wayPoints: [], isClosed: true)
            return
        }
        var before = last
        if tour.count == 1 {
            before = Self.startingPoint(for: first, within: bounds, height)
        }
        let start = Self.point(Self.approachMetres, from: first, toward: before)
        var points = [WayPoint(Self.clamped(start, to: bounds))]
        for place in tour {
            let stop = Self.point(Self.stopMetres, from: place, toward: points.last?.position ?? start)
            points.append(WayPoint(Self.clamped(stop, to: bounds), staySeconds: Self.staySeconds))
        }
        self.init(wayPoints: points, isClosed: true)
    }

    private static func tour(through places: [Point3D]) -> [Point3D] {
        var left = places.filter(\.isFinite)
        guard !left.isEmpty else { return [] }
        var tour = [left.removeFirst()]
        while let here = tour.last,
            let next = left.indices.min(by: { left[$0].distance(to: here) < left[$1].distance(to: here) })
        {
            tour.append(left.remove(at: next))
        }
        return tour
    }

    /// The point `metres` from one place towards another, at most at the other.
    private static func point(_ metres: Double, from place: Point3D, toward other: Point3D) -> Point3D {
        let distance = hypot(other.x - place.x, other.y - place.y)
        guard distance > 0 else { return place }
        let fraction = min(metres / distance, 1)
        return Point3D(
            x: place.x + fraction * (other.x - place.x),
            y: place.y + fraction * (other.y - place.y),
            z: place.z
        )
    }

    /// Where to come from when there is only one place: from the middle of the bounds.
    private static func startingPoint(
        for place: Point3D,
        within bounds: Box?,
        _ height: Double
    ) -> Point3D {
        let middle = bounds.map {
            Point3D(x: $0.origin.x + $0.width / 2, y: $0.origin.y + $0.height / 2, z: height)
        }
        guard let middle, hypot(middle.x - place.x, middle.y - place.y) > 1 else {
            return Point3D(x: place.x + approachMetres, y: place.y, z: height)
        }
        return middle
    }

    private static func clamped(_ point: Point3D, to bounds: Box?) -> Point3D {
        guard let bounds else { return point }
        var point = point
        point.x = min(max(point.x, bounds.origin.x), bounds.origin.x + max(bounds.width, 0))
        point.y = min(max(point.y, bounds.origin.y), bounds.origin.y + max(bounds.height, 0))
        return point
    }
}
