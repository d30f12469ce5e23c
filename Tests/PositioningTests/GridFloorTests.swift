import Flare
import Glibc
import JSON
import Positioning
import Testing

/// A house of three storeys; each ceiling takes 15 dB.
@Suite struct GridFloorTests {
    private static let environment = FlareID(high: 1, low: 0)

    private static func house(storeys: Int = 3) -> BeaconMap {
        var environment = FlareEnvironment(id: Self.environment)
        environment.perimeter = Box(origin: .zero, width: 12, height: 9, depth: 9)
        var zones: [FlareZone] = []
        var things: [FlareThing] = []
        for storey in 0..<storeys {
            var zone = FlareZone(id: FlareID(high: 2, low: UInt32(storey)))
            zone.perimeter = Box(origin: Point3D(x: 0, y: 0, z: 3 * Double(storey)), width: 12, height: 9)
            zone.data = ["major": JSONValue(storey + 1)]
            zones.append(zone)
            for (number, corner) in [(1.0, 1.0), (11.0, 1.5), (10.5, 8.0), (1.5, 7.5)].enumerated() {
                var thing = FlareThing(id: FlareID(high: 3, low: UInt32(storey * 4 + number)))
                thing.zone = zone.id
                thing.position = Point3D(x: corner.0, y: corner.1, z: 3 * Double(storey) + 2)
                thing.data = ["minor": JSONValue(number), "power": -59]
                things.append(thing)
            }
        }
        return BeaconMap(environment: environment, zones: zones, things: things)
    }

    private static func stand(
        at point: Point3D,
        storey: Int,
        from start: Double,
        seconds: Int,
        _ estimator: inout GridEstimator,
        _ generator: inout SeededGenerator
    ) -> [PositionEstimate] {
        var estimates: [PositionEstimate] = []
        for second in 0..<seconds {
            for part in [0.2, 0.7] {
                for beacon in estimator.map.beacons {
                    let slabs = abs(beacon.floor - storey)
                    let level = -59 - 22 * log10(beacon.position.distance(to: point)) - 15 * Double(slabs)
                    let rssi = Int((level + generator.normal(deviation: 5)).rounded())
                    guard rssi >= -94 else { continue }
                    let identity = BeaconIdentity(
                        uuid: GridPlace.uuid,
                        major: beacon.major,
                        minor: beacon.minor
                    )
                    let time = start + Double(second) + part
                    estimator.record(BeaconSighting(identity: identity, rssi: rssi, time: time))
                }
            }
            if let estimate = estimator.estimate(at: start + Double(second) + 1) {
                estimates.append(estimate)
            }
        }
        return estimates
    }

    @Test(arguments: 0..<3) func `the floor and the position on it are found`(storey: Int) throws {
        var generator = SeededGenerator(seed: UInt64(storey))
        var estimator = GridEstimator(map: Self.house())
        let point = Point3D(x: 8, y: 3, z: 3 * Double(storey) + 1.1)
        let estimates = Self.stand(at: point, storey: storey, from: 0, seconds: 40, &estimator, &generator)
        #expect(estimates.suffix(36).allSatisfy { $0.floor == storey && $0.position.z == point.z })
        #expect(try #require(estimates.last).position.plane(to: point) < 2)
    }

    @Test func `taking the stairs changes the floor once, some seconds later`() throws {
        var generator = SeededGenerator(seed: 9)
        var estimator = GridEstimator(map: Self.house())
        let (down, up) = (Point3D(x: 6, y: 4, z: 1.1), Point3D(x: 6, y: 4, z: 4.1))
        let first = Self.stand(at: down, storey: 0, from: 0, seconds: 30, &estimator, &generator)
        let second = Self.stand(at: up, storey: 1, from: 30, seconds: 30, &estimator, &generator)
        #expect(first.suffix(25).allSatisfy { $0.floor == 0 })
        let change = try #require(second.firstIndex { $0.floor == 1 })
        #expect((3...15).contains(change))
        #expect(second[change...].allSatisfy { $0.floor == 1 })
        #expect(second.last?.position.z == 4.1)
    }

    @Test func `rooms on steps or two storeys high do not divide a floor`() {
        var environment = FlareEnvironment(id: Self.environment)
        environment.perimeter = Box(origin: Point3D(x: 0, y: 0, z: -4), width: 5, height: 5)
        func zone(_ number: UInt32, z: Double, depth: Double = 3) -> FlareZone {
            var zone = FlareZone(id: FlareID(high: 2, low: number))
            zone.perimeter = Box(origin: Point3D(x: 0, y: 0, z: z), width: 5, height: 5, depth: depth)
            return zone
        }
        func floors(_ zones: [FlareZone]) -> [Double] {
            BeaconMap(environment: environment, zones: zones, things: []).floors.heights
        }
        #expect(floors([zone(0, z: 0.6), zone(1, z: 0), zone(2, z: 1.2, depth: 6)]) == [0])
        #expect(
            floors([zone(0, z: 3), zone(1, z: 0, depth: 6), zone(2, z: -3), zone(3, z: 2.9)]) == [-3, 0, 2.9]
        )
        #expect(floors([FlareZone(id: FlareID(high: 2, low: 9))]) == [-4])
        environment.perimeter = nil
        #expect(floors([]) == [])
    }

    @Test func `a beacon is on its zone's floor, otherwise on the floor at its height`() {
        let map = Self.house()
        #expect(map.floors.heights == [0, 3, 6])
        #expect(map.beacons.map(\.floor) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
        let environment = FlareEnvironment(id: Self.environment)
        var upstairs = FlareZone(id: FlareID(high: 2, low: 7))
        upstairs.perimeter = Box(origin: Point3D(x: 0, y: 0, z: 3), width: 5, height: 5)
        var ground = upstairs
        ground.id = FlareID(high: 2, low: 8)
        ground.perimeter?.origin.z = 0
        var bare = FlareZone(id: FlareID(high: 2, low: 9))
        bare.data = ["major": 1]
        let things = [0.5, 2.9, 3.1, 99, -5].enumerated().map { number, z in
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(number)))
            thing.zone = bare.id
            thing.position = Point3D(x: 0, y: 0, z: z)
            thing.data = ["minor": JSONValue(number)]
            return thing
        }
        let mixed = BeaconMap(environment: environment, zones: [upstairs, ground, bare], things: things)
        #expect(mixed.beacons.map(\.floor) == [0, 0, 1, 1, 0])
    }

    @Test func `the number of cells is limited whatever the number of floors`() {
        #expect(GridEstimator(map: Self.house()).cells == 3 * 24 * 18)
        #expect(GridEstimator(map: Self.house(storeys: 40)).cells <= 10_000)
        #expect(GridEstimator(map: Self.house(storeys: 600)).cells <= 40_000)
    }
}
