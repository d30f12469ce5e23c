import Flare

/// What the grid estimator needs of a map: where the beacons are, and how the floors that have some become grids.
struct GridPlan: Sendable {
    let places: [Point3D]
    /// Whether a beacon is at a place that can be.
    let isUsable: [Bool]
    /// The numbers of the floors that have beacons: nobody can be found on others.
    let floors: [Int]
    /// Of the device on each of these floors, metres.
    let heights: [Double]
    /// `nil` without beacons.
    let area: GridArea?

    /// Beacons farther off than this are a mistake, metres.
    private static let farthest = 1e6

    init(_ map: BeaconMap, _ settings: GridEstimator.Settings) {
        places = map.beacons.map(\.position)
        isUsable = places.map { max(abs($0.x), abs($0.y), abs($0.z)) <= Self.farthest }
        let usable = zip(map.beacons, isUsable).filter(\.1).map(\.0)
        floors = Set(usable.map(\.floor)).sorted()
        heights = floors.map { Self.height($0, map, usable, settings) }
        area = GridArea(
            perimeter: map.perimeter,
            beacons: usable.map(\.position),
            cell: settings[.cell],
            floors: floors.count
        )
    }

    /// Whether what is known on the grids of the one can be taken over to those of the other.
    func hasCells(of other: GridPlan) -> Bool {
        area == other.area && heights == other.heights && floors == other.floors
    }

    /// A grid for each floor, which knows nothing.
    func makeGrids() -> [FloorGrid] {
        guard let area else { return [] }
        return heights.map { FloorGrid(area: area, height: $0, beacons: places.count) }
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
        let floors = map.floors.heights
        if floors.indices.contains(floor) { return floors[floor] + settings[.deviceHeight] }
        let sum = beacons.reduce(0) { $0 + $1.position.z }
        return sum / Double(max(beacons.count, 1)) - settings[.deviceHeight]
    }
}
