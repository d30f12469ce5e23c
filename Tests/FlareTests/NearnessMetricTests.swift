import Flare
import Testing

struct NearnessMetricTests {
    private let house = NearnessMetric.plane(Floors(zonesFrom: [0, 0.3, 3]))
    private let standing = Point3D(x: 1, y: 1, z: 1)

    @Test func `a ceiling lamp is as far as it looks from above`() {
        #expect(house.metres(from: standing, to: Point3D(x: 1, y: 2, z: 2.4), base: 0) == 1)
        #expect(house.metres(from: standing, to: Point3D(x: 1, y: 1, z: 2.9), base: nil) == 0)
    }

    @Test func `what stands on another floor has no distance`() {
        #expect(house.metres(from: standing, to: Point3D(x: 1, y: 1, z: 3.5), base: 3) == nil)
        #expect(house.metres(from: standing, to: Point3D(x: 1, y: 1, z: 3.5), base: nil) == nil)
        #expect(house.metres(from: Point3D(x: 1, y: 1, z: 4), to: Point3D(x: 1, y: 1, z: 1), base: 0) == nil)
    }

    @Test func `a lamp high up in a hall is on the floor on which the hall begins`() {
        #expect(house.metres(from: standing, to: Point3D(x: 1, y: 1, z: 6), base: 0) == 0)
    }

    @Test func `without floors everything is on one, and in space the height counts`() {
        let lamp = Point3D(x: 1, y: 1, z: 9)
        #expect(NearnessMetric.plane(Floors(zonesFrom: [])).metres(from: standing, to: lamp, base: nil) == 0)
        #expect(NearnessMetric.space.metres(from: standing, to: lamp, base: 3) == 8)
    }

    @Test func `the nearest in the plane is found among those that are included`() {
        var tree = BoxTree()
        var points: [Point3D] = []
        for row in 0..<10 {
            for column in 0..<20 {
                let height = Double((row + column) % 7)
                points.append(Point3D(x: Double(column), y: Double(row), z: height))
            }
        }
        for (index, point) in points.enumerated() {
            tree.insert(FlareID(high: 1, low: UInt32(index)), order: index, from: point, to: point)
        }
        func isIncluded(_ id: FlareID) -> Bool { id.description.last != "0" }
        for here in points {
            let place = Point3D(x: here.x + 0.3, y: here.y + 0.2, z: 50)
            let found = tree.nearest(inPlane: place, within: 3, where: isIncluded)
            var nearest = Double.infinity
            for (index, point) in points.enumerated() where isIncluded(FlareID(high: 1, low: UInt32(index))) {
                nearest = min(nearest, point.planeDistance(to: place))
            }
            #expect(found?.distance == nearest)
        }
    }
}
