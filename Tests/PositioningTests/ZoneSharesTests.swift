import Flare
import Positioning
import Testing

/// Zones side by side in a hall of 12 m by 8 m, whose beacons hang around it.
@Suite struct ZoneSharesTests {
    private static let left = FlareID(high: 2, low: 1)
    private static let right = FlareID(high: 2, low: 2)
    private static let desk = FlareID(high: 2, low: 3)

    private static func box(_ x: Double, _ y: Double, _ width: Double, _ depth: Double, z: Double = 0) -> Box
    {
        Box(origin: Point3D(x: x, y: y, z: z), width: width, height: depth)
    }

    private static let halves = [
        BeaconMap.Zone(id: left, box: box(-2, -2, 8, 12)),
        BeaconMap.Zone(id: right, box: box(6, -2, 8, 12)),
    ]

    private func hall(_ zones: [BeaconMap.Zone]) -> GridPlace {
        var hall = GridPlace.hall
        hall.map = BeaconMap(beacons: hall.map.beacons, perimeter: nil, zones: zones)
        return hall
    }

    private func shares(at point: Point3D, _ zones: [BeaconMap.Zone]) throws -> ZoneShares {
        let hall = hall(zones)
        var estimator = GridEstimator(map: hall.map)
        hall.stand(at: point, from: 0, seconds: 20, &estimator)
        return try #require(estimator.zoneShares)
    }

    @Test func `the zone in which somebody stands is the likeliest, and all shares are 1 together`() throws {
        for (x, own, other) in [(2.0, Self.left, Self.right), (10.0, Self.right, Self.left)] {
            let shares = try shares(at: Point3D(x: x, y: 4, z: 0.9), Self.halves)
            #expect(shares.likeliest == own)
            #expect(shares[own] > 1.5 * shares[other], "\(shares)")
            #expect(abs(shares[own] + shares[other] + shares[nil] - 1) < 1e-6, "\(shares)")
        }
    }

    @Test func `on the border both have their part`() throws {
        let shares = try shares(at: Point3D(x: 6, y: 4, z: 0.9), Self.halves)
        #expect(shares[Self.left] > 0.2 && shares[Self.right] > 0.2, "\(shares)")
    }

    @Test func `what is in a zone within a zone counts for the smaller one`() throws {
        let desk = BeaconMap.Zone(id: Self.desk, box: Self.box(0, 2, 4, 4))
        for zones in [Self.halves + [desk], [desk] + Self.halves] {
            let shares = try shares(at: Point3D(x: 2, y: 4, z: 0.9), zones)
            #expect(shares.likeliest == Self.desk, "\(shares)")
        }
    }

    @Test func `a zone on another floor has no share`() throws {
        let above = BeaconMap.Zone(id: Self.desk, box: Self.box(-2, -2, 16, 12, z: 3))
        let shares = try shares(at: Point3D(x: 2, y: 4, z: 0.9), Self.halves + [above])
        #expect(shares[Self.desk] == 0)
    }

    @Test func `a zone smaller than a cell has one`() throws {
        let spot = BeaconMap.Zone(id: Self.desk, box: Self.box(2.01, 4.01, 0.1, 0.1))
        #expect(try shares(at: Point3D(x: 2, y: 4, z: 0.9), Self.halves + [spot])[Self.desk] > 0)
    }

    @Test func `shares stay while nothing is heard, and there are none without zones or an estimate`() throws
    {
        #expect(GridEstimator(map: GridPlace.hall.map).zoneShares == nil)
        let hall = hall(Self.halves)
        var estimator = GridEstimator(map: hall.map)
        #expect(estimator.zoneShares == nil)
        hall.stand(at: Point3D(x: 2, y: 4, z: 0.9), from: 0, seconds: 20, &estimator)
        let before = try #require(estimator.zoneShares)
        for second in 31..<40 { _ = estimator.estimate(at: Double(second)) }
        #expect(estimator.zoneShares == before)
    }

    @Test func `zones without extent, or far away, are harmless`() throws {
        let boxes = [
            Self.box(.nan, .infinity, -1, .nan), Self.box(1e300, -1e300, 1e300, 0), Self.box(500, 500, 5, 5),
        ]
        let others = boxes.enumerated().map { number, box in
            BeaconMap.Zone(id: FlareID(high: 2, low: UInt32(number + 7)), box: box)
        }
        let shares = try shares(at: Point3D(x: 2, y: 4, z: 0.9), Self.halves + others)
        #expect(shares.likeliest == Self.left)
        #expect(shares.zones.count == 2)
    }
}
