/// Finds space for names: none is written over another, over a wall, or past the edge.
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
        /// Where the anchor of the text's base line is.
        let x: Int
        let y: Int
        let anchor: Anchor
        let area: Area
    }

    /// Where names may be.
    private let room: Area
    /// The zones: their borders are walls.
    private let zones: [Area]
    private var taken: [Area] = []

    init(room: Area, zones: [Area]) {
        self.room = room
        self.zones = zones
    }

    mutating func take(_ area: Area) { taken.append(area) }

    /// The space of a text whose base line has its anchor at `x`, `y`.
    ///
    /// - Parameters:
    ///   - width: Of the text, units.
    ///   - size: Of its font.
    static func place(_ x: Int, _ y: Int, _ anchor: Anchor = .start, width: Int, size: Int) -> Place {
        let left =
            switch anchor {
            case .start: x
            case .middle: x - width / 2
            case .end: x - width
            }
        let area = Area(left: left - 3, top: y - size, right: left + width + 3, bottom: y + size / 3)
        return Place(x: x, y: y, anchor: anchor, area: area)
    }

    /// Takes the first of some places that is free.
    ///
    /// - Parameter mark: What the text belongs to, if that is in the same zones as the text must be.
    mutating func take(firstOf places: [Place], for mark: Area? = nil) -> Place? {
        let place = places.first { place in
            room.contains(place.area) && isWithinWalls(place.area, of: mark)
                && !taken.contains(where: place.area.meets)
        }
        if let place { taken.append(place.area) }
        return place
    }

    /// Takes the first of some places within the walls, whatever else stands there.
    mutating func takeAnyway(firstOf places: [Place]) -> Place? {
        let place = places.first { room.contains($0.area) && isWithinWalls($0.area, of: nil) }
        if let place { taken.append(place.area) }
        return place
    }

    /// Space for a text beside a mark.
    mutating func place(width: Int, size: Int, beside x: Int, _ y: Int, radius: Int) -> Place? {
        let (below, above, middle) = (y + radius + size, y - radius - size / 3 - 1, y + size / 3)
        let (right, left) = (x + radius + 4, x - radius - 4)
        let places: [(Int, Int, Anchor)] = [
            (x, below, .middle), (x, above, .middle), (right, middle, .start), (left, middle, .end),
            (x - radius, below, .start), (x + radius, below, .end),
            (x - radius, above, .start), (x + radius, above, .end),
            (right, below - radius, .start), (left, below - radius, .end),
            (right, above + radius, .start), (left, above + radius, .end),
        ]
        return take(
            firstOf: places.map { Self.place($0, $1, $2, width: width, size: size) },
            for: Area(left: x, top: y, right: x, bottom: y)
        )
    }

    /// Whether an area crosses no wall, and no wall is between it and its mark.
    private func isWithinWalls(_ area: Area, of mark: Area?) -> Bool {
        zones.allSatisfy { zone in
            // Half of a wall, and a little air.
            let (inner, outer) = (zone.grown(by: -2), zone.grown(by: 2))
            if inner.contains(area) { return mark.map(outer.contains) ?? true }
            return !outer.meets(area) && !(mark.map(inner.contains) ?? false)
        }
    }
}
