import Flare
import SeededRandom
import Testing

@Suite struct FloorsTests {
    @Test(
        arguments: [
            ([], []),
            ([0], [0]),
            // Steps, and galleries, are no floors.
            ([0.6, 0, 1.2], [0]),
            ([3, 0, -3, 2.9], [-3, 0, 2.9]),
            // Two metres are one.
            ([0, 2], [0, 2]), ([0, 1.99], [0]),
            // What counts is the floor below, not the zone below.
            ([0, 1.5, 3], [0, 3]),
            ([.nan, 5, .infinity, -.infinity], [5]),
        ] as [([Double], [Double])]
    )
    func `floors begin where zones do, two metres or more above the floor below`(
        bases: [Double],
        heights: [Double]
    ) {
        #expect(Floors(zonesFrom: bases).heights == heights)
    }

    @Test func `an object is on the highest floor that begins at or below it`() {
        let floors = Floors(zonesFrom: [-3, 0, 2.9])
        let heights = [-.infinity, -9, -3, -0.1, 0, 2.8, 2.9, 100, .infinity]
        #expect(heights.map { floors.floor(at: $0) } == [0, 0, 0, 0, 1, 1, 2, 2, 2])
        #expect(Floors(zonesFrom: []).floor(at: 7) == 0)
    }

    @Test func `without zones the environment is one floor`() {
        var environment = FlareEnvironment(id: FlareID(high: 1, low: 1))
        #expect(Floors(of: [], in: environment).heights == [])
        environment.perimeter = Box(origin: Point3D(x: 0, y: 0, z: -4), width: 1, height: 1)
        #expect(Floors(of: [], in: environment).heights == [-4])
        var zone = FlareZone(id: FlareID(high: 1, low: 2))
        #expect(Floors(of: [zone], in: environment).heights == [-4])
        zone.perimeter = Box(origin: Point3D(x: 0, y: 0, z: 1), width: 1, height: 1)
        #expect(Floors(of: [zone], in: environment).heights == [1])
    }

    @Test func `every zone is on the floor that its rule gives it, in any order`() {
        var random = SplitMix64(seed: 12)
        for _ in 0..<500 {
            let bases = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                Double(Int.random(in: 0..<100, using: &random)) / 5
            }
            let floors = Floors(zonesFrom: bases)
            #expect(floors == Floors(zonesFrom: bases.reversed()))
            #expect(zip(floors.heights, floors.heights.dropFirst()).allSatisfy { $1 - $0 >= 2 })
            for base in bases {
                let above = base - floors.heights[floors.floor(at: base)]
                #expect(above >= 0 && above < 2)
            }
        }
    }
}
