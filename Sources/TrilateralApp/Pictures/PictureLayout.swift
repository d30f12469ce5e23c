/// Where the pictures of `watch` go: to the right of the text, one above the other or side by side.
package struct PictureLayout: Sendable, Hashable {
    package struct Size: Sendable, Hashable {
        package let columns: Int
        package let rows: Int
    }

    /// The columns of the text; one more stays free.
    package let textColumns: Int
    package let compass: Size
    package let map: Size
    package let isSideBySide: Bool

    /// - Returns: `nil` if the terminal is too small for pictures.
    package init?(columns: Int, rows: Int) {
        // The last column stays free: erasing to the end of a full line would erase its last character.
        let usable = columns - 1
        textColumns = min(max(usable * 2 / 3, 48), 76)
        let room = usable - textColumns - 1
        guard room >= 24, rows >= 10 else { return nil }
        if room > rows * 2 + 24 {
            isSideBySide = true
            compass = Size(columns: rows * 2, rows: rows)
            map = Size(columns: room - rows * 2 - 1, rows: rows)
        } else {
            guard rows >= 18 else { return nil }
            isSideBySide = false
            compass = Size(columns: room, rows: min(room / 2, rows * 11 / 20))
            map = Size(columns: room, rows: rows - compass.rows - 1)
        }
    }
}
