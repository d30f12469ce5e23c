import Things
import TrilateralApp
import Testing

struct InkTests {
    @Test(
        arguments: [
            (0xFF0000, "\u{1B}[0;91m", "\u{1B}[0;38;5;196m", "\u{1B}[0;38;2;255;0;0m"),
            (0xFFA500, "\u{1B}[0;33m", "\u{1B}[0;38;5;214m", "\u{1B}[0;38;2;255;165;0m"),
            (0x0000FF, "\u{1B}[0;34m", "\u{1B}[0;38;5;21m", "\u{1B}[0;38;2;0;0;255m"),
            (0xFFFFFF, "\u{1B}[0;97m", "\u{1B}[0;38;5;231m", "\u{1B}[0;38;2;255;255;255m"),
            (0x808080, "\u{1B}[0;90m", "\u{1B}[0;38;5;244m", "\u{1B}[0;38;2;128;128;128m"),
        ]
    )
    func `a colour is the nearest that the terminal has`(
        hex: UInt32,
        sixteen: String,
        palette: String,
        full: String
    ) {
        let ink = Ink(RGBColour(hex: hex))
        #expect(ColourDepth.sixteen.sequence(ink) == sixteen)
        #expect(ColourDepth.palette.sequence(ink) == palette)
        #expect(ColourDepth.full.sequence(ink) == full)
        #expect(ColourDepth.none.sequence(ink) == "")
    }

    @Test(
        arguments: [
            (["TERM": "xterm", "LANG": "en_GB.UTF-8"], ColourDepth.sixteen),
            (["TERM": "xterm-256color", "LANG": "C.utf8"], .palette),
            (["TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"], .full),
            (["TERM": "xterm", "COLORTERM": "24bit", "LC_CTYPE": "C.UTF-8", "LANG": "C"], .full),
            (["TERM": "xterm-256color", "NO_COLOR": "1", "LANG": "C.UTF-8"], ColourDepth.none),
            (["TERM": "xterm-256color", "NO_COLOR": "", "LANG": "C.UTF-8"], .palette),
            (["TERM": "xterm", "LC_ALL": "C", "LANG": "en_GB.UTF-8"], nil),
            (["TERM": "xterm"], nil), (["TERM": "dumb", "LANG": "C.UTF-8"], nil),
            (["TERM": "linux", "LANG": "C.UTF-8"], nil), (["LANG": "C.UTF-8"], nil),
        ] as [([String: String], ColourDepth?)]
    )
    func `the environment says whether a terminal shows pictures, and in which colours`(
        environment: [String: String],
        depth: ColourDepth?
    ) {
        #expect(ColourDepth(ofTerminal: environment) == depth)
    }
}
