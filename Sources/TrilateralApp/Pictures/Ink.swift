package import Things

/// How a part of a picture in the terminal is drawn.
package struct Ink: Sendable, Hashable {
    /// `nil` for the terminal's own foreground.
    package var colour: RGBColour?
    package var isFaint = false
    package var isBold = false

    package init(_ colour: RGBColour? = nil, isFaint: Bool = false, isBold: Bool = false) {
        (self.colour, self.isFaint, self.isBold) = (colour, isFaint, isBold)
    }

    package static let plain = Ink()
    package static let faint = Ink(isFaint: true)
    package static let bold = Ink(isBold: true)
}

/// How many colours a terminal shows.
package enum ColourDepth: Sendable, Hashable, CaseIterable {
    case none, sixteen, palette, full

    /// - Source: no-color.org; `COLORTERM` and `TERM` as terminals set them.
    package init(environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        self =
            if !(environment["NO_COLOR"] ?? "").isEmpty {
                .none
            } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") {
                .full
            } else if term.contains("256color") {
                .palette
            } else {
                .sixteen
            }
    }

    /// The colours of pictures on a terminal.
    ///
    /// - Returns: `nil` if it cannot show Braille characters: its locale is not UTF-8, or it is Linux's console, whose
    ///   fonts have none.
    package init?(ofTerminal environment: [String: String]) {
        // The first one that is set counts (POSIX, environment variables).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let name = (locale ?? "").lowercased()
        guard name.contains("utf-8") || name.contains("utf8"),
            !["", "dumb", "linux"].contains(environment["TERM"] ?? "")
        else { return nil }
        self.init(environment: environment)
    }

    /// The control sequence that selects an ink; without colours there is none.
    package func sequence(_ ink: Ink) -> String {
        guard self != .none else { return "" }
        var codes = [0]
        if ink.isBold { codes.append(1) }
        if ink.isFaint { codes.append(2) }
        if let colour = ink.colour {
            switch self {
            case .none: break
            case .sixteen: codes.append(Self.code16(colour))
            case .palette: codes += [38, 5, Self.code256(colour)]
            case .full: codes += [38, 2, Int(colour.red), Int(colour.green), Int(colour.blue)]
            }
        }
        return "\u{1B}[" + codes.map(String.init).joined(separator: ";") + "m"
    }

    /// The nearest of the sixteen colours, as terminals have them by default.
    private static func code16(_ colour: RGBColour) -> Int {
        let index = nearest(to: colour, in: basic)
        return index < 8 ? 30 + index : 90 + index - 8
    }

    /// The nearest of the colour cube and the greys of xterm's palette.
    private static func code256(_ colour: RGBColour) -> Int { 16 + nearest(to: colour, in: xterm) }

    private static func nearest(to colour: RGBColour, in palette: [RGBColour]) -> Int {
        palette.indices.min {
            palette[$0].squaredDistance(to: colour) < palette[$1].squaredDistance(to: colour)
        } ?? 0
    }

    private static let basic: [RGBColour] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ].map { RGBColour(hex: $0) }

    private static let xterm: [RGBColour] = {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = levels.flatMap { red in
            levels.flatMap { green in levels.map { RGBColour(red: red, green: green, blue: $0) } }
        }
        let greys = stride(from: UInt8(8), through: 238, by: 10).map {
            RGBColour(red: $0, green: $0, blue: $0)
        }
        return cube + greys
    }()
}
