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
}
