import Flare

/// The part of a map that the grid estimator uses: the beacons' positions, and a grid for each floor with
/// beacons.
struct GridPlan: Sendable {
    let places: [Point3D]
    /// Whether a beacon's position is plausible.
    let isUsable: [Bool]
    /// Indices of the floors with beacons; the device cannot be located on others.
    let floors: [Int]
    /// Height of the device on each of these floors, metres.
    let heights: [Double]
    /// `nil` without beacons.
    let area: GridArea?

    init(_ map: BeaconMap, _ settings: GridEstimator.Settings) {
        places = map.beacons.map(\.position)
        isUsable = places.map(\.isPlausible)
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

    /// Whether both plans have the same cells, so that belief can be carried over.
    func hasCells(of other: GridPlan) -> Bool {
        area == other.area && heights == other.heights && floors == other.floors
    }

    /// A uniform grid for each floor.
    func makeGrids() -> [FloorGrid] {
        guard let area else { return [] }
        return heights.map { FloorGrid(area: area, height: $0, beacons: places.count) }
    }

    /// Without a known floor height, the beacons are assumed to hang as high above the device as the device
    /// is above the floor.
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
