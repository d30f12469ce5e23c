import Flare

/// Divides the plane into equal square cells in rows along x, the same for every floor.
///
/// The perimeter limits where the device can be. If it is missing, empty, or contains no beacon, the box
/// around the beacons is used, enlarged by 1.5 m.
/// - Source: contrib/contract/positioning.md, "6.1 Constants"; "6.3 The map".
struct GridArea: Sendable, Hashable {
    /// The lower corner, metres.
    let x: Double
    let y: Double
    /// The side of a cell, metres.
    let cell: Double
    let columns: Int
    let rows: Int

    var count: Int { columns * rows }

    /// With more cells than this, over all floors, coarser cells are used.
    private static let mostFineCells = 10_000.0
    private static let coarseCell = 1.0
    /// The most cells in any case.
    private static let mostCells = 40_000.0
    private static let margin = 1.5
    /// Nothing is received farther than this from all beacons, metres; a large perimeter is cut there.
    private static let reach = 30.0

    /// - Parameters:
    ///   - beacons: At least one; all finite, within some thousand kilometres.
    ///   - floors: The number of floors, each of which has all cells.
    init?(perimeter: Box?, beacons: [Point3D], cell wanted: Double, floors: Int) {
        guard let around = beacons.map({ PlaneBounds($0) }).union else { return nil }
        let stated = perimeter.map { PlaneBounds($0) }.flatMap { stated in
            stated.isArea && beacons.contains { stated.contains($0) } ? stated : nil
        }
        var extent = stated ?? around.grown(by: Self.margin)
        var cell = wanted
        func cells() -> Double { extent.cells(cell) * Double(max(floors, 1)) }
        if cells() > Self.mostFineCells { cell = max(cell, Self.coarseCell) }
        if cells() > Self.mostCells, let cut = extent.overlap(around.grown(by: Self.reach)) { extent = cut }
        while cells() > Self.mostCells { cell *= 1.05 }
        // A strip narrower than a cell has its one row in its middle.
        x = extent.minX + min(0, (extent.width - cell) / 2)
        y = extent.minY + min(0, (extent.height - cell) / 2)
        self.cell = cell
        columns = Int(PlaneBounds.cells(extent.width, cell))
        rows = Int(PlaneBounds.cells(extent.height, cell))
    }

    /// The middle of a column or row.
    func x(_ column: Int) -> Double { x + (Double(column) + 0.5) * cell }
    func y(_ row: Int) -> Double { y + (Double(row) + 0.5) * cell }

    /// Whether a position, metres, is in one of the cells.
    func contains(x: Double, y: Double) -> Bool {
        x >= self.x && x <= self.x + Double(columns) * cell && y >= self.y
            && y <= self.y + Double(rows) * cell
    }

    /// The cell at a position, or the one nearest to it.
    func cellNearest(x: Double, y: Double) -> Int {
        func index(_ place: Double, _ count: Int) -> Int {
            guard place.isFinite else { return 0 }
            return Int(min(max(place.rounded(.down), 0), Double(count - 1)))
        }
        return index((y - self.y) / cell, rows) * columns + index((x - self.x) / cell, columns)
    }
}

extension PlaneBounds {
    /// The number of cells it needs, as a Double because it may exceed any integer.
    fileprivate func cells(_ cell: Double) -> Double {
        Self.cells(width, cell) * Self.cells(height, cell)
    }

    /// The number of cells whose middle lies within a length.
    fileprivate static func cells(_ length: Double, _ cell: Double) -> Double {
        max(1, ((length - cell / 2) / cell).rounded(.up))
    }
}
