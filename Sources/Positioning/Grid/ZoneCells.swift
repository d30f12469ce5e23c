import Flare

/// Which cells are in which zone, so that the belief about a zone is a sum.
///
/// A cell is in the smallest zone that contains its middle, as a position is.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
struct ZoneCells: Sendable {
    private let zones: [FlareID]
    /// For each floor with a grid, the number of each cell's zone: its index and 1 more, or 0 in none.
    private var numbers: [[UInt16]]
    /// The sums of the last update: in no zone, and then in each.
    private var sums: [Double]
    private static let mostZones = 4096

    init(_ map: BeaconMap, _ plan: GridPlan) {
        // The smallest come last, and paint over the others.
        let areas = Array(
            map.zones.filter(\.box.isFinite)
                .sorted { ($0.box.area, $0.id) < ($1.box.area, $1.id) }
                .prefix(Self.mostZones)
                .reversed()
        )
        zones = areas.map(\.id)
        sums = Array(repeating: 0, count: zones.count + 1)
        numbers = []
        guard let area = plan.area, !zones.isEmpty else { return }
        for height in plan.heights {
            var cells = Array(repeating: UInt16(0), count: area.count)
            for (index, zone) in areas.enumerated() {
                Self.paint(zone.box, UInt16(index + 1), height, area, &cells)
            }
            numbers.append(cells)
        }
    }

    private static func paint(
        _ box: Box,
        _ number: UInt16,
        _ height: Double,
        _ area: GridArea,
        _ cells: inout [UInt16]
    ) {
        let middle = Point3D(x: box.origin.x + box.width / 2, y: box.origin.y + box.height / 2, z: height)
        guard box.contains(middle) else { return }
        let (low, high) = (
            area.cellNearest(x: box.origin.x, y: box.origin.y),
            area.cellNearest(x: box.origin.x + box.width, y: box.origin.y + box.height)
        )
        let columns = low % area.columns...max(high % area.columns, low % area.columns)
        var isFound = false
        for row in low / area.columns...max(high / area.columns, low / area.columns) {
            for column in columns
            where box.contains(Point3D(x: area.x(column), y: area.y(row), z: height)) {
                cells[row * area.columns + column] = number
                isFound = true
            }
        }
        // A zone smaller than a cell still has one.
        guard !isFound, area.contains(x: middle.x, y: middle.y) else { return }
        cells[area.cellNearest(x: middle.x, y: middle.y)] = number
    }

    /// Adds up the belief on a floor.
    mutating func update(_ grid: FloorGrid, floor: Int) {
        for index in sums.indices { sums[index] = 0 }
        guard numbers.indices.contains(floor) else { return }
        let numbers = numbers[floor]
        sums.withUnsafeMutableBufferPointer { sums in
            numbers.withUnsafeBufferPointer { numbers in
                grid.withProbabilities { cell, probability in
                    guard cell < numbers.count, Int(numbers[cell]) < sums.count else { return }
                    sums[Int(numbers[cell])] += Double(probability)
                }
            }
        }
    }

    /// The shares of the last update; `nil` without zones or without an update.
    var shares: ZoneShares? {
        let sum = sums.reduce(0, +)
        guard !zones.isEmpty, sum > 0, sum.isFinite else { return nil }
        var shares: [FlareID: Double] = [:]
        for (index, zone) in zones.enumerated() where sums[index + 1] > 0 {
            shares[zone] = sums[index + 1] / sum
        }
        return ZoneShares(zones: shares, outside: sums[0] / sum)
    }
}

extension Box {
    fileprivate var isFinite: Bool { origin.isFinite && area.isFinite && depth.isFinite }
}

extension FloorGrid {
    /// Calls a body with each cell and its probability, standing or walking.
    func withProbabilities(_ body: (_ cell: Int, _ probability: Float) -> Void) {
        let count = area.count
        layers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, buffer.count >= GridCells.size(area) else { return }
            let standing = base + GridCells.Layer.standing.rawValue * count
            let walking = base + GridCells.Layer.allCases.count * count
            for cell in 0..<count {
                var sum = standing[cell]
                for heading in 0..<GridCells.headings { sum += walking[heading * count + cell] }
                body(cell, sum)
            }
        }
    }
}
