import Flare

/// What the grid estimator needs of a map: where the beacons are, and a grid for each floor that has some.
struct GridPlan: Sendable {
    let places: [Point3D]
    /// Whether a beacon is at a place that can be.
    let isUsable: [Bool]
    /// The numbers of the floors that have beacons: nobody can be found on others.
    let floors: [Int]
    let grids: [FloorGrid]

    /// Beacons farther off than this are a mistake, metres.
    private static let farthest = 1e6

    init(_ map: BeaconMap, _ settings: GridEstimator.Settings) {
        places = map.beacons.map(\.position)
        isUsable = places.map { max(abs($0.x), abs($0.y), abs($0.z)) <= Self.farthest }
        let usable = zip(map.beacons, isUsable).filter(\.1).map(\.0)
        floors = Set(usable.map(\.floor)).sorted()
        let area = GridArea(
            perimeter: map.perimeter,
            beacons: usable.map(\.position),
            cell: settings[.cell],
            floors: floors.count
        )
        let count = map.beacons.count
        grids = floors.compactMap { floor in
            area.map {
                FloorGrid(area: $0, height: Self.height(floor, map, usable, settings), beacons: count)
            }
        }
    }

    /// Where nothing tells the floor's height, the beacons are taken to hang as high above the device as it is
    /// above the floor.
    private static func height(
        _ floor: Int,
        _ map: BeaconMap,
        _ beacons: [BeaconMap.Beacon],
        _ settings: GridEstimator.Settings
    ) -> Double {
        if let z = settings.deviceZ { return z }
        if map.floors.indices.contains(floor) { return map.floors[floor] + settings[.deviceHeight] }
        let sum = beacons.reduce(0) { $0 + $1.position.z }
        return sum / Double(max(beacons.count, 1)) - settings[.deviceHeight]
    }
}
