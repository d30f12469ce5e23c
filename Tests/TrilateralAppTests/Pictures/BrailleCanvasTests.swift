import SeededRandom
import Things
import TrilateralApp
import Testing

struct BrailleCanvasTests {
    private typealias Dot = BrailleCanvas.Dot

    /// The rows without colours, and without blanks at their ends.
    private func rows(_ canvas: BrailleCanvas) -> [String] {
        canvas.lines(.none).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    @Test func `each dot has its bit of a Braille character`() {
        for (x, y, character) in [
            (0, 0, "⠁"), (0, 1, "⠂"), (0, 2, "⠄"), (0, 3, "⡀"), (1, 0, "⠈"), (1, 1, "⠐"), (1, 2, "⠠"),
            (1, 3, "⢀"),
        ] {
            var canvas = BrailleCanvas(columns: 1, rows: 1)
            canvas.dot(Dot(Double(x), Double(y)))
            #expect(canvas.lines(.none) == [character])
        }
    }

    @Test func `lines and rectangles are drawn, whichever way they go`() {
        var canvas = BrailleCanvas(columns: 5, rows: 2)
        canvas.rectangle(from: Dot(9, 7), to: Dot(0, 0))
        #expect(rows(canvas) == ["⡏⠉⠉⠉⢹", "⣇⣀⣀⣀⣸"])
        var slope = BrailleCanvas(columns: 4, rows: 2)
        slope.line(from: Dot(0, 7), to: Dot(7, 0))
        #expect(rows(slope) == ["  ⡠⠊", "⡠⠊"])
        var back = BrailleCanvas(columns: 4, rows: 2)
        back.line(from: Dot(7, 0), to: Dot(0, 7))
        #expect(back == slope)
    }

    @Test func `a circle is round, a disc is full`() {
        var canvas = BrailleCanvas(columns: 9, rows: 2)
        canvas.circle(Dot(3.5, 3.5), radius: 3.5)
        canvas.disc(Dot(13, 3), radius: 3)
        #expect(rows(canvas) == ["⡔⠉⠉⢢ ⣰⣾⣶⡀", "⠣⣀⣀⠜ ⠘⠻⠛"])
    }

    @Test func `what lies outside is clipped`() {
        var canvas = BrailleCanvas(columns: 3, rows: 1)
        canvas.line(from: Dot(-1000, 0), to: Dot(1000, 0))
        #expect(rows(canvas) == ["⠉⠉⠉"])
        canvas.line(from: Dot(-5, -1), to: Dot(100, -1))
        canvas.dot(Dot(6, 0))
        canvas.dot(Dot(0, 4))
        canvas.text("abc", column: -2, row: 0)
        #expect(rows(canvas) == ["c⠉⠉"])
        canvas.text("xyz", column: 2, row: 0)
        canvas.text("q", column: 0, row: 1)
        #expect(rows(canvas) == ["c⠉x"])
    }

    @Test func `an arc covers its angle and no more`() {
        var canvas = BrailleCanvas(columns: 20, rows: 10)
        let centre = Dot(19.5, 19.5)
        canvas.arc(centre, radii: 15...18, direction: 90, span: 40)
        let east = canvas
        canvas.arc(centre, radii: 15...18, direction: 450, span: 40)
        #expect(canvas == east)
        #expect(east.isEmpty(columns: 0..<15, row: 5))
        #expect(!east.isEmpty(columns: 17..<20, row: 5))
        #expect(east.isEmpty(columns: 0..<20, row: 0))
    }

    @Test func `wide characters take two cells, and control characters are shown`() {
        var canvas = BrailleCanvas(columns: 12, rows: 1)
        canvas.text("台所\u{1B}", column: 0, row: 0)
        #expect(rows(canvas) == [#"台所\u{1b}"#])
        canvas.text("a", column: 1, row: 0)
        #expect(rows(canvas) == [#" a所\u{1b}"#], "half a character is left out")
        var narrow = BrailleCanvas(columns: 3, rows: 1)
        narrow.text("台所", column: 0, row: 0)
        #expect(rows(narrow) == ["台"])
    }

    @Test func `a canvas without room, or with too much, does no harm`() {
        #expect(BrailleCanvas(columns: 0, rows: -4).lines(.full) == [])
        let large = BrailleCanvas(columns: .max, rows: .max)
        #expect(large.columns == BrailleCanvas.limit.columns && large.rows == BrailleCanvas.limit.rows)
        var empty = BrailleCanvas(columns: 0, rows: 0)
        empty.line(from: Dot(0, 0), to: Dot(5, 5))
        empty.text("a", column: 0, row: 0)
        #expect(empty.lines(.none) == [])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `no number traps, and every row keeps its width`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var canvas = BrailleCanvas(columns: random.number(below: 30), rows: random.number(below: 12))
        func number() -> Double {
            let usual = Double(random.number(below: 2000)) / 10 - 50
            return random.chance(4)
                ? random.pick([.nan, .infinity, -.infinity, 1e300, -1e300, 1e9, -1e7, 0.49], else: 0) : usual
        }
        for _ in 0..<300 {
            let (one, other) = (Dot(number(), number()), Dot(number(), number()))
            switch random.number(below: 7) {
            case 0: canvas.line(from: one, to: other)
            case 1: canvas.rectangle(from: one, to: other)
            case 2: canvas.circle(one, radius: number())
            case 3: canvas.disc(one, radius: number())
            case 4:
                canvas.arc(one, radii: 0...max(0, abs(other.x)), direction: number(), span: number())
            case 5:
                canvas.text("ab台", column: random.number(below: 50) - 10, row: random.number(below: 20) - 4)
            default: canvas.dot(one)
            }
        }
        let lines = canvas.lines(.none)
        #expect(lines.count == canvas.rows)
        for line in lines {
            #expect(line.count + line.count { $0 == "台" } == canvas.columns)
        }
    }

    @Test func `inks are written where they change, and end with the row`() {
        var canvas = BrailleCanvas(columns: 4, rows: 2)
        let red = Ink(RGBColour(hex: 0xFF0000))
        canvas.dot(Dot(0, 0), red)
        canvas.dot(Dot(6, 0), red)
        #expect(canvas.lines(.full) == ["\u{1B}[0;38;2;255;0;0m⠁  ⠁\u{1B}[0m", "    "])
        #expect(canvas.lines(.none) == ["⠁  ⠁", "    "])
        canvas.text("N", column: 1, row: 1, .bold)
        #expect(canvas.lines(.sixteen).last == " \u{1B}[0;1mN  \u{1B}[0m")
    }
}
