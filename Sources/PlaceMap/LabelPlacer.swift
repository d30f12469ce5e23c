/// Places labels so that they overlap neither each other nor walls nor the edge.
struct LabelPlacer {
    /// A rectangle of the picture.
    struct Area: Equatable {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int

        func meets(_ other: Area) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }

        func contains(_ other: Area) -> Bool {
            left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom
        }

        func grown(by units: Int) -> Area {
            Area(left: left - units, top: top - units, right: right + units, bottom: bottom + units)
        }
    }

    enum Anchor: String {
        case start, middle, end
    }

    struct Place {
        /// The anchor of the text's baseline.
        let x: Int
        let y: Int
        let anchor: Anchor
        let area: Area
    }

    /// Where labels may be.
    private let room: Area
    /// The zones, whose borders are walls.
    private let zones: [Area]
    private var marks: [Area] = []
    private var taken: [Area] = []

    init(room: Area, zones: [Area]) {
        self.room = room
        self.zones = zones
    }

    /// Keeps texts away from a mark.
    mutating func keepFree(_ mark: Area) { marks.append(mark) }

    /// The area of a text whose baseline has its anchor at `x`, `y`.
    ///
    /// - Parameters:
    ///   - width: Width of the text, units.
    ///   - size: Font size.
    ///   - extra: Height of further lines, units.
    static func place(
        _ x: Int,
        _ y: Int,
        _ anchor: Anchor = .start,
        width: Int,
        size: Int,
        extra: Int = 0
    ) -> Place {
        let left =
            switch anchor {
            case .start: x
            case .middle: x - width / 2
            case .end: x - width
            }
        let area = Area(left: left - 3, top: y - size, right: left + width + 3, bottom: y + size / 3 + extra)
        return Place(x: x, y: y, anchor: anchor, area: area)
    }

    /// Reserves the first of the places that is free.
    ///
    /// - Parameters:
    ///   - mark: The mark that the text belongs to, when both must be in the same zones.
    ///   - overMarks: Whether marks may be covered.
    mutating func take(firstOf places: [Place], for mark: Area? = nil, overMarks: Bool = false) -> Place? {
        let place = places.first { place in
            room.contains(place.area) && isWithinWalls(place.area, of: mark)
                && !taken.contains(where: place.area.meets)
                && (overMarks || !marks.contains(where: place.area.meets))
        }
        if let place { taken.append(place.area) }
        return place
    }

    /// From one baseline to the next.
    static func lineHeight(_ size: Int) -> Int { size + max(1, size / 6) }

    /// Height of some lines.
    static func height(_ lines: Int, size: Int) -> Int { size + size / 3 + (lines - 1) * lineHeight(size) }

    /// Reserves a free place in a zone for a text: at its corners, its sides, or in its middle.
    mutating func take(_ width: Int, _ height: Int, size: Int, within zone: Area) -> Place? {
        let (left, right, middle) = (zone.left + 6, zone.right - 6, (zone.left + zone.right) / 2)
        let top = zone.top + size + 4
        let bottom = zone.bottom - 4 - height + size
        let columns: [(Int, Anchor)] = [(left, .start), (right, .end), (middle, .middle)]
        let rows = [top, bottom, (top + bottom) / 2, (3 * top + bottom) / 4, (top + 3 * bottom) / 4]
        let places = rows.flatMap { y in
            columns.map {
                Self.place($0.0, y, $0.1, width: width, size: size, extra: height - size - size / 3)
            }
        }
        return take(firstOf: places.filter { zone.contains($0.area) })
    }

    /// A place for lines of text beside a mark.
    mutating func place(
        width: Int,
        size: Int,
        lines: Int,
        beside x: Int,
        _ y: Int,
        radius: Int,
        overMarks: Bool = false
    ) -> Place? {
        let extra = (lines - 1) * Self.lineHeight(size)
        let (below, above) = (y + radius + size, y - radius - size / 3 - 1 - extra)
        let middle = y + size / 3 - extra / 2
        let (right, left) = (x + radius + 4, x - radius - 4)
        let places: [(Int, Int, Anchor)] = [
            (x, below, .middle), (x, above, .middle), (right, middle, .start), (left, middle, .end),
            (x - radius, below, .start), (x + radius, below, .end),
            (x - radius, above, .start), (x + radius, above, .end),
            (right, below - radius, .start), (left, below - radius, .end),
            (right, above + radius, .start), (left, above + radius, .end),
        ]
        return take(
            firstOf: places.map { Self.place($0, $1, $2, width: width, size: size, extra: extra) },
            for: Area(left: x, top: y, right: x, bottom: y),
            overMarks: overMarks
        )
    }

    /// Whether an area crosses no wall, and no wall separates it from its mark.
    private func isWithinWalls(_ area: Area, of mark: Area?) -> Bool {
        zones.allSatisfy { zone in
            // Half of a wall, and some padding.
            let (inner, outer) = (zone.grown(by: -2), zone.grown(by: 2))
            if inner.contains(area) { return mark.map(outer.contains) ?? true }
            return !outer.meets(area) && !(mark.map(inner.contains) ?? false)
        }
    }
}
