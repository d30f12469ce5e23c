/// Finds room for names, so that none is written over another.
struct LabelPlacer {
    /// A rectangle of the picture.
    struct Area {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int

        func meets(_ other: Area) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }
    }

    struct Place {
        /// Where the text's base line is held.
        let x: Int
        let y: Int
        /// `start`, `middle` or `end`.
        let anchor: String
    }

    /// Where names may be.
    private let room: Area
    private var taken: [Area] = []

    init(room: Area) { self.room = room }

    mutating func take(_ area: Area) { taken.append(area) }

    /// - Returns: Whether it was free.
    mutating func takeIfFree(_ area: Area) -> Bool {
        guard !taken.contains(where: area.meets) else { return false }
        taken.append(area)
        return true
    }

    /// Room for a text beside a mark: below it, else above, right, left; `nil` when there is none.
    ///
    /// - Parameters:
    ///   - width: That of the text, units.
    ///   - size: Of its font.
    ///   - radius: Of the mark around `x` and `y`.
    mutating func place(width: Int, size: Int, beside x: Int, _ y: Int, radius: Int) -> Place? {
        let half = width / 2
        let places = [
            Place(x: x, y: y + radius + size, anchor: "middle"),
            Place(x: x, y: y - radius - size / 3, anchor: "middle"),
            Place(x: x + radius + 4, y: y + size / 3, anchor: "start"),
            Place(x: x - radius - 4, y: y + size / 3, anchor: "end"),
        ]
        for place in places {
            let left =
                place.anchor == "middle" ? x - half : place.anchor == "start" ? place.x : place.x - width
            let area = Area(
                left: left - 3,
                top: place.y - size,
                right: left + width + 3,
                bottom: place.y + size / 4
            )
            guard area.left >= room.left, area.right <= room.right, area.top >= room.top,
                area.bottom <= room.bottom, !taken.contains(where: area.meets)
            else { continue }
            taken.append(area)
            return place
        }
        return nil
    }
}
