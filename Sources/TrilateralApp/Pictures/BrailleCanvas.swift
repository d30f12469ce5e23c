import Daemon
import Foundation

/// A picture of Braille characters, each of which is two dots wide and four high, with texts in it.
///
/// Coordinates are dots; x points right and y down. What lies outside is clipped; numbers that are not finite, or far
/// beyond every picture, draw nothing. A cell has one ink, the last one.
package struct BrailleCanvas: Sendable, Hashable {
    /// The most columns and rows; a larger canvas is made smaller.
    package static let limit = (columns: 240, rows: 100)
    /// Larger coordinates draw nothing.
    private static let reach = 1e7

    private struct Cell: Sendable, Hashable {
        var dots: UInt8 = 0
        var glyph: Character?
        /// Whether it is the second half of a wide character.
        var isCovered = false
        var ink = Ink.plain
    }

    package let columns: Int
    package let rows: Int
    private var cells: [Cell]

    package init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 0), Self.limit.columns)
        self.rows = min(max(rows, 0), Self.limit.rows)
        cells = Array(repeating: Cell(), count: self.columns * self.rows)
    }

    package var width: Int { columns * 2 }
    package var height: Int { rows * 4 }

    /// A place on the canvas.
    package struct Dot: Sendable, Hashable {
        package var x: Double
        package var y: Double

        package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

        var isUsable: Bool { abs(x) <= BrailleCanvas.reach && abs(y) <= BrailleCanvas.reach }

        func distance(to other: Dot) -> Double {
            ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
        }

        /// The place so far away in a direction, degrees clockwise from up.
        package func moved(by distance: Double, towards degrees: Double) -> Dot {
            let radians = degrees * .pi / 180
            return Dot(x + distance * sin(radians), y - distance * cos(radians))
        }
    }

    /// The cell of a place, which may lie outside.
    package func cell(at place: Dot) -> (column: Int, row: Int) {
        guard place.isUsable else { return (-1, -1) }
        return (Int((place.x.rounded() / 2).rounded(.down)), Int((place.y.rounded() / 4).rounded(.down)))
    }

    // MARK: Dots

    package mutating func dot(_ place: Dot, _ ink: Ink = .plain) {
        guard place.isUsable else { return }
        set(Int(place.x.rounded()), Int(place.y.rounded()), ink)
    }

    private mutating func set(_ x: Int, _ y: Int, _ ink: Ink) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let index = y / 4 * columns + x / 2
        cells[index].dots |= Self.bits[y % 4 * 2 + x % 2]
        cells[index].ink = ink
    }

    /// The bits of a Braille character, row by row.
    /// - Source: Unicode, block Braille Patterns.
    private static let bits: [UInt8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

    package mutating func line(from start: Dot, to end: Dot, _ ink: Ink = .plain) {
        guard start.isUsable, end.isUsable, let (from, to) = clipped(start, end) else { return }
        let steps = max(abs(to.x - from.x), abs(to.y - from.y)).rounded(.up)
        guard steps > 0 else { return dot(from, ink) }
        for step in 0...Int(steps) {
            let part = Double(step) / steps
            dot(Dot(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part), ink)
        }
    }

    /// The part of a line on the canvas.
    /// - Source: Liang and Barsky, "A new concept and method for line clipping", 1984.
    private func clipped(_ start: Dot, _ end: Dot) -> (Dot, Dot)? {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        var (first, last) = (0.0, 1.0)
        let borders = [
            (-dx, start.x), (dx, Double(width - 1) - start.x), (-dy, start.y),
            (dy, Double(height - 1) - start.y),
        ]
        for (step, room) in borders {
            if step == 0 {
                if room < 0 { return nil }
            } else if step < 0 {
                first = max(first, room / step)
            } else {
                last = min(last, room / step)
            }
        }
        guard first <= last else { return nil }
        return (
            Dot(start.x + dx * first, start.y + dy * first), Dot(start.x + dx * last, start.y + dy * last)
        )
    }

    package mutating func rectangle(from corner: Dot, to other: Dot, _ ink: Ink = .plain) {
        let (right, below) = (Dot(other.x, corner.y), Dot(corner.x, other.y))
        for (start, end) in [(corner, right), (right, other), (other, below), (below, corner)] {
            line(from: start, to: end, ink)
        }
    }

    package mutating func circle(_ centre: Dot, radius: Double, _ ink: Ink = .plain) {
        fill(around: centre, radius: radius + 1, ink) { abs($0.distance(to: centre) - radius) < 0.5 }
    }

    package mutating func disc(_ centre: Dot, radius: Double, _ ink: Ink = .plain) {
        fill(around: centre, radius: radius, ink) { $0.distance(to: centre) <= radius }
    }

    /// A thick arc.
    ///
    /// - Parameters:
    ///   - direction: Its middle, degrees clockwise from up.
    ///   - span: Its width, degrees.
    package mutating func arc(
        _ centre: Dot,
        radii: ClosedRange<Double>,
        direction: Double,
        span: Double,
        _ ink: Ink = .plain
    ) {
        guard direction.isFinite, span.isFinite else { return }
        let middle = centre.moved(by: 1, towards: direction)
        let reach = cos(min(max(span, 0), 360) / 2 * .pi / 180)
        let outer = radii.upperBound
        fill(around: centre, radius: outer, ink) { place in
            let distance = place.distance(to: centre)
            guard radii.contains(distance), distance > 0 else { return false }
            // The cosine of the angle between the place and the middle.
            let along =
                (place.x - centre.x) * (middle.x - centre.x) + (place.y - centre.y) * (middle.y - centre.y)
            return along / distance >= reach
        }
    }

    /// Sets the dots within a square that a condition selects.
    private mutating func fill(
        around centre: Dot,
        radius: Double,
        _ ink: Ink,
        where isInside: (Dot) -> Bool
    ) {
        guard centre.isUsable, radius >= 0, radius <= Self.reach else { return }
        let xs = Self.range(centre.x, radius, width)
        let ys = Self.range(centre.y, radius, height)
        for y in ys {
            for x in xs where isInside(Dot(Double(x), Double(y))) { set(x, y, ink) }
        }
    }

    private static func range(_ centre: Double, _ radius: Double, _ count: Int) -> Range<Int> {
        let first = max(0, Int((centre - radius).rounded(.down)))
        return first..<max(first, min(count, Int((centre + radius).rounded(.up)) + 1))
    }

    // MARK: Texts

    /// Writes a text over the dots; what does not fit is left out.
    package mutating func text(_ text: String, column: Int, row: Int, _ ink: Ink = .plain) {
        guard (0..<rows).contains(row), column > -Self.limit.columns, column < columns else { return }
        var column = column
        for character in TerminalText.visible(text) {
            let wide = TerminalText.width(String(character))
            guard wide > 0 else { continue }
            guard column + wide <= columns else { return }
            if column >= 0 {
                let first = row * columns + column
                // Half a wide character cannot be shown.
                if cells[first].isCovered { cells[first - 1] = Cell() }
                if column + wide < columns, cells[first + wide].isCovered { cells[first + wide] = Cell() }
                for part in 0..<wide {
                    cells[first + part] = Cell(
                        glyph: part == 0 ? character : nil,
                        isCovered: part > 0,
                        ink: ink
                    )
                }
            }
            column += wide
        }
    }

    /// Whether nothing is drawn or written in some cells of a row.
    package func isEmpty(columns range: Range<Int>, row: Int) -> Bool {
        guard (0..<rows).contains(row), range.lowerBound >= 0, range.upperBound <= columns else {
            return false
        }
        return range.allSatisfy {
            let cell = cells[row * columns + $0]
            return cell.dots == 0 && cell.glyph == nil && !cell.isCovered
        }
    }

    /// Whether something is written in some cells of a row.
    package func hasText(columns range: Range<Int>, row: Int) -> Bool {
        guard (0..<rows).contains(row) else { return false }
        return range.clamped(to: 0..<columns).contains {
            let cell = cells[row * columns + $0]
            return cell.glyph != nil || cell.isCovered
        }
    }

    // MARK: Output

    /// The rows, all of them as wide as the canvas; each ends with the terminal's own colours.
    package func lines(_ depth: ColourDepth) -> [String] {
        (0..<rows).map { row in
            var (line, last) = ("", Ink.plain)
            for cell in cells[row * columns..<(row + 1) * columns] where !cell.isCovered {
                let isBlank = cell.dots == 0 && cell.glyph == nil
                if !isBlank, cell.ink != last {
                    line += depth.sequence(cell.ink)
                    last = cell.ink
                }
                line.append(cell.glyph ?? Self.braille(cell.dots))
            }
            return last == .plain ? line : line + depth.sequence(.plain)
        }
    }

    private static func braille(_ dots: UInt8) -> Character {
        guard dots != 0, let scalar = Unicode.Scalar(0x2800 + UInt32(dots)) else { return " " }
        return Character(scalar)
    }
}
