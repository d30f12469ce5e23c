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
            // One degree of a great circle is 111,226 m; nothing is smaller than 100 m.
            (GeoPoint(latitude: 0, longitude: 0), 111_300, GeoPoint(latitude: 1, longitude: 0), true),
            (GeoPoint(latitude: 0, longitude: 0), 111_300, GeoPoint(latitude: 1, longitude: 1), false),
            (GeoPoint(latitude: 0, longitude: 0), -5, GeoPoint(latitude: 0.0008, longitude: 0), true),
            (GeoPoint(latitude: 0, longitude: 0), 0, GeoPoint(latitude: 0.001, longitude: 0), false),
            // A degree of longitude is half as long at 60°.
            (GeoPoint(latitude: 60, longitude: 10), 600, GeoPoint(latitude: 60, longitude: 10.01), true),
            (GeoPoint(latitude: 60, longitude: 10), 500, GeoPoint(latitude: 60, longitude: 10.01), false),
            // Fiji, on both sides of 180°.
            (
                GeoPoint(latitude: -17, longitude: 179.999), 300,
                GeoPoint(latitude: -17, longitude: -179.999), true
            ),
            (GeoPoint(latitude: -17, longitude: -180), 100, GeoPoint(latitude: -17, longitude: 180), true),
            // The South Pole station.
            (
                GeoPoint(latitude: -89.999, longitude: 0), 300, GeoPoint(latitude: -89.999, longitude: 180),
                true
            ),
            (GeoPoint(latitude: 90, longitude: 0), 200, GeoPoint(latitude: 89.999, longitude: 77), true),
            (GeoPoint(latitude: 90, longitude: 0), 200, GeoPoint(latitude: -90, longitude: 0), false),
            (GeoPoint(latitude: 0, longitude: 0), 200, GeoPoint(latitude: .nan, longitude: 0), false),
        ] as [(GeoPoint, Double, GeoPoint, Bool)]
    )
    func `a geofence is a circle of a hundred metres at least, also at 180° and at the poles`(
        centre: GeoPoint,
        radius: Double,
        location: GeoPoint,
        isIncluded: Bool
    ) {
        #expect(Geofence(centre: centre, radiusMetres: radius).includes(location) == isIncluded)
    }
}
