import Flare
import Testing

struct GeometryTests {
    private let box = Box(origin: Point3D(x: -1, y: 2, z: 0.5), width: 4, height: 3, depth: 2)

    @Test(
        arguments: [
            (-1, 2, 0.5, true), (3, 5, 2.5, true), (3, 2, 0.5, true), (-1, 5, 2.5, true), (0, 3, 1, true),
            (-1.001, 3, 1, false), (3.001, 3, 1, false), (0, 1.999, 1, false), (0, 5.001, 1, false),
            (0, 3, 0.499, false), (0, 3, 2.501, false), (.nan, 3, 1, false), (.infinity, 3, 1, false),
        ] as [(Double, Double, Double, Bool)]
    )
    func `a box contains its borders`(x: Double, y: Double, z: Double, isInside: Bool) {
        #expect(box.contains(Point3D(x: x, y: y, z: z)) == isInside)
    }

    @Test func `a box without depth is three metres deep`() {
        let room = Box(origin: .zero, width: 1, height: 1)
        #expect(room.contains(Point3D(x: 0, y: 0, z: 3)))
        #expect(!room.contains(Point3D(x: 0, y: 0, z: 3.001)))
        #expect(!room.contains(Point3D(x: 0, y: 0, z: -0.001)))
    }

    @Test func `a box of zero or negative size contains at most its origin`() {
        let point = Box(origin: .zero, width: 0, height: 0, depth: 0)
        #expect(point.contains(.zero))
        #expect(!point.contains(Point3D(x: 1e-9, y: 0)))
        #expect(!Box(origin: .zero, width: -1, height: 1).contains(.zero))
    }

    @Test func `distance goes through all three dimensions`() {
        let here = Point3D(x: 1, y: -2, z: 3)
        #expect(here.distance(to: Point3D(x: 3, y: 1, z: 9)) == 7)
        #expect(here.distance(to: here) == 0)
        #expect(Point3D(x: 3, y: 4).distance(to: .zero) == 5)
    }

    @Test func `a point with NaN is not finite`() {
        #expect(Point3D(x: 1, y: 2, z: 3).isFinite)
        for odd in [Double.nan, .infinity, -.infinity] {
            #expect(!Point3D(x: odd, y: 0, z: 0).isFinite)
            #expect(!Point3D(x: 0, y: odd, z: 0).isFinite)
            #expect(!Point3D(x: 0, y: 0, z: odd).isFinite)
        }
    }

    @Test(
        arguments: [
            (90, 180, true), (-90, -180, true), (0, 0, true), (90.001, 0, false), (0, -180.001, false),
            (.nan, 0, false), (0, .infinity, false),
        ] as [(Double, Double, Bool)]
    )
    func `degrees must lie on the earth`(latitude: Double, longitude: Double, isValid: Bool) {
        #expect(GeoPoint(latitude: latitude, longitude: longitude).isValid == isValid)
    }

    @Test(
        arguments: [
            // The quarter and half circle of a sphere of 6372.8 km, one degree of it, and Rosetta Code's example.
            (0, 0, 90, 0, 10_010_371), (0, 0, 0, 180, 20_020_741), (0, 0, 1, 0, 111_226), (0, 0, 0, 0, 0),
            (36.12, -86.67, 33.94, -118.40, 2_887_260), (60, 0, 60, 1, 55_613),
            (0, 179.5, 0, -179.5, 111_226),
        ] as [(Double, Double, Double, Double, Double)]
    )
    func `metres follow the earth's surface`(
        fromLatitude: Double,
        fromLongitude: Double,
        toLatitude: Double,
        toLongitude: Double,
        metres: Double
    ) {
        let here = GeoPoint(latitude: fromLatitude, longitude: fromLongitude)
        let there = GeoPoint(latitude: toLatitude, longitude: toLongitude)
        #expect(abs(here.metres(to: there) - metres) < 2)
        #expect(here.metres(to: there) == there.metres(to: here))
    }

    @Test(
        arguments: [
            // 111,120 m are one degree; a square, so the corner belongs to it.
            (111_120, 1, 1, true), (111_120, -1, -1, true), (111_120, 1.0001, 0, false),
            (111_120, 0, -1.0001, false), (0, 0.0008, 0.0008, true), (0, 0.001, 0, false),
            (50, 0.0008, 0, true), (-5, 0.0008, 0, true), (200, 0.0017, 0, true),
        ] as [(Double, Double, Double, Bool)]
    )
    func `a geofence is a square in degrees of a hundred metres to each side at least`(
        radius: Double,
        north: Double,
        east: Double,
        isAdmitted: Bool
    ) {
        let fence = Geofence(centre: GeoPoint(latitude: 0, longitude: 0), radiusMetres: radius)
        #expect(fence.includes(GeoPoint(latitude: north, longitude: east)) == isAdmitted)
    }
}
