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
        guard let around = Extent(around: beacons) else { return nil }
        let stated = perimeter.flatMap { Extent($0) }.flatMap { extent in
            beacons.contains { extent.contains($0) } ? extent : nil
        }
        var extent = stated ?? around.grown(by: Self.margin)
        var cell = wanted
        func cells() -> Double { extent.cells(cell) * Double(max(floors, 1)) }
        if cells() > Self.mostFineCells { cell = max(cell, Self.coarseCell) }
        if cells() > Self.mostCells, let cut = extent.overlap(around.grown(by: Self.reach)) { extent = cut }
        while cells() > Self.mostCells { cell *= 1.05 }
        // A strip narrower than a cell has its one row in its middle.
        x = extent.left + min(0, (extent.right - extent.left - cell) / 2)
        y = extent.bottom + min(0, (extent.top - extent.bottom - cell) / 2)
        self.cell = cell
        columns = Int(Extent.cells(extent.right - extent.left, cell))
        rows = Int(Extent.cells(extent.top - extent.bottom, cell))
    }

    /// The middle of a column or row.
    func x(_ column: Int) -> Double { x + (Double(column) + 0.5) * cell }
    func y(_ row: Int) -> Double { y + (Double(row) + 0.5) * cell }
}

/// A rectangle in the plane with positive width and height.
private struct Extent {
    var left: Double
    var right: Double
    var bottom: Double
    var top: Double

    init?(_ box: Box) {
        left = box.origin.x
        right = box.origin.x + box.width
        bottom = box.origin.y
        top = box.origin.y + box.height
        guard left < right, bottom < top, [left, right, bottom, top].allSatisfy(\.isFinite) else {
            return nil
        }
    }

    init?(around points: [Point3D]) {
        guard let first = points.first else { return nil }
        (left, right, bottom, top) = (first.x, first.x, first.y, first.y)
        for point in points {
            (left, right) = (min(left, point.x), max(right, point.x))
            (bottom, top) = (min(bottom, point.y), max(top, point.y))
        }
    }

    func contains(_ point: Point3D) -> Bool {
        (left...right).contains(point.x) && (bottom...top).contains(point.y)
    }

    func grown(by metres: Double) -> Extent {
        var extent = self
        extent.left -= metres
        extent.right += metres
        extent.bottom -= metres
        extent.top += metres
        return extent
    }

    func overlap(_ other: Extent) -> Extent? {
        var extent = self
        extent.left = max(left, other.left)
        extent.right = min(right, other.right)
        extent.bottom = max(bottom, other.bottom)
        extent.top = min(top, other.top)
        return extent.left < extent.right && extent.bottom < extent.top ? extent : nil
    }

    /// The number of cells it needs, as a Double because it may exceed any integer.
    func cells(_ cell: Double) -> Double {
        Self.cells(right - left, cell) * Self.cells(top - bottom, cell)
    }

    /// The number of cells whose middle lies within a length.
    static func cells(_ length: Double, _ cell: Double) -> Double {
        max(1, ((length - cell / 2) / cell).rounded(.up))
    }
}
