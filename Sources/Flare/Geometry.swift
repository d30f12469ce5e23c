import Foundation

/// A point in the environment's coordinates, metres.
package struct Point3D: Sendable, Hashable {
    package var x: Double
    package var y: Double
    package var z: Double

    package init(x: Double, y: Double, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    package static let zero = Point3D(x: 0, y: 0)

    /// A coordinate beyond this is a mistake, metres: the grids of land surveys go up to some 35,000 km.
    package static let farthest = 1e8

    /// Euclidean distance, metres.
    package func distance(to other: Point3D) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    package var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    /// Whether no coordinate is beyond ``farthest``.
    package var isPlausible: Bool { max(abs(x), abs(y), abs(z)) <= Self.farthest }
}

/// A box, metres: the perimeter of an environment or a zone.
package struct Box: Sendable, Hashable {
    package var origin: Point3D
    /// Along x, y and z.
    package var width: Double
    package var height: Double
    package var depth: Double

    /// The depth of a perimeter without one, metres.
    /// - Source: the original zone rule, contrib/contract/flare-protocol.md, "5.1 In a zone".
    package static let defaultDepth = 3.0

    package init(origin: Point3D, width: Double, height: Double, depth: Double = Box.defaultDepth) {
        self.origin = origin
        self.width = width
        self.height = height
        self.depth = depth
    }

    /// Whether the point is inside or on the border.
    /// - Source: contrib/contract/flare-protocol.md, "5.1 In a zone".
    package func contains(_ point: Point3D) -> Bool {
        point.x >= origin.x && point.x <= origin.x + width
            && point.y >= origin.y && point.y <= origin.y + height
            && point.z >= origin.z && point.z <= origin.z + depth
    }
}

/// A geographic location, degrees (WGS 84).
package struct GeoPoint: Sendable, Hashable {
    package var latitude: Double
    package var longitude: Double

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both numbers are valid degrees.
    package var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }

    /// Metres along the earth's surface.
    /// - Source: haversine with the origin's radius of 6372.8 km, contrib/contract/flare-protocol.md,
    ///   "10.1 Library".
    package func metres(to other: GeoPoint) -> Double {
        let radians = Double.pi / 180
        let north = sin((other.latitude - latitude) * radians / 2)
        let east = sin((other.longitude - longitude) * radians / 2)
        let h = north * north + cos(latitude * radians) * cos(other.latitude * radians) * east * east
        return 2 * 6_372_800 * asin(min(1, h.squareRoot()))
    }
}

/// The geographic location of an environment.
package struct Geofence: Sendable, Hashable {
    package var centre: GeoPoint
    package var radiusMetres: Double

    package init(centre: GeoPoint, radiusMetres: Double) {
        self.centre = centre
        self.radiusMetres = radiusMetres
    }

    /// Whether a location is within the radius, at least 100 m.
    ///
    /// Measured along the earth's surface, so that it means the same at the poles and at 180° of longitude.
    package func includes(_ location: GeoPoint) -> Bool {
        centre.metres(to: location) <= max(radiusMetres, 100)
    }
}
