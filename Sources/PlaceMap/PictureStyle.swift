/// The colours of the picture.
package enum PictureStyle: String, Sendable, CaseIterable {
    /// Light, and dark where the page prefers dark and the renderer supports media queries.
    case auto
    case light, dark
}

/// The colours of a picture, as `#rgb` or `#rrggbb`.
struct PicturePalette {
    let paper, floor, wall, ink, soft, tint, line, mark: String
    /// What lies on a tone, and the tones of states.
    let onTone, on, warm, cool, open, safe, alarm: String

    static let light = PicturePalette(
        paper: "#eef1f5",
        floor: "#fff",
        wall: "#b4bdc9",
        ink: "#2c3440",
        soft: "#5c6675",
        tint: "#e6efff",
        line: "#2f6fed",
        mark: "#aab4c0",
        onTone: "#fff",
        on: "#b06a00",
        warm: "#c9400b",
        cool: "#1666bd",
        open: "#6741b8",
        safe: "#1f7536",
        alarm: "#c01f2b"
    )
    static let dark = PicturePalette(
        paper: "#15181d",
        floor: "#20252d",
        wall: "#4a5563",
        ink: "#e6eaf0",
        soft: "#98a3b1",
        tint: "#22304a",
        line: "#6ea2ff",
        mark: "#5b6675",
        onTone: "#0c0f14",
        on: "#ffcf5c",
        warm: "#ff9259",
        cool: "#7db9ff",
        open: "#bfa4ff",
        safe: "#74d18d",
        alarm: "#ff8f8f"
    )
}

/// The class of an element, which defines its appearance.
///
/// The raw value is the CSS class; a style sheet selects by its last word.
enum PictureLook: String, CaseIterable {
    case ground = "g"
    case zone = "w"
    case zoneHere = "w h"
    case lamp = "i"
    case lampOff = "i j"
    case line = "k"
    case ring = "r"
    case other = "q"
    case toneOn = "q to"
    case toneWarm = "q tw"
    case toneCool = "q tc"
    case toneOpen = "q tp"
    case toneSafe = "q ts"
    case toneAlarm = "q ta"
    case symbol = "y"
    case symbolOnTone = "y yt"
    case near = "l"
    case tie = "l d"
    case accuracy = "a"
    case accuracyLost = "a ao"
    case device = "p"
    case deviceLost = "p po"
    case view = "f"
    case viewLost = "f fo"
    case north = "c"
    case title = "t"
    case caption = "s"
    case halo = "x"
    case label = "n"
    case labelNear = "n b"
    case reading = "n v"

    /// Presentation attributes, which every SVG renderer supports, unlike style sheets with variables.
    func attributes(_ colours: PicturePalette) -> [(name: String, value: String)] {
        switch self {
        case .ground: [("fill", colours.paper)]
        case .zone: [("fill", colours.floor), ("stroke", colours.wall), ("stroke-width", "1.5")]
        case .zoneHere: [("fill", colours.tint), ("stroke", colours.line), ("stroke-width", "1.5")]
        case .lamp: [("stroke", colours.soft), ("stroke-opacity", ".55")]
        case .lampOff: [("fill", colours.floor), ("stroke", colours.soft), ("stroke-opacity", ".55")]
        case .line:
            [("stroke", colours.soft), ("stroke-width", "2"), ("fill", "none"), ("stroke-linecap", "round")]
        case .ring: [("stroke-width", "2"), ("fill", "none")]
        case .other: [("fill", colours.floor), ("stroke", colours.soft)]
        case .toneOn: tone(colours.on, colours)
        case .toneWarm: tone(colours.warm, colours)
        case .toneCool: tone(colours.cool, colours)
        case .toneOpen: tone(colours.open, colours)
        case .toneSafe: tone(colours.safe, colours)
        case .toneAlarm: tone(colours.alarm, colours)
        case .symbol: symbol(colours.soft)
        case .symbolOnTone: symbol(colours.onTone)
        case .near: [("stroke", colours.line), ("stroke-width", "2.5"), ("fill", "none")]
        case .tie:
            [
                ("stroke", colours.line), ("stroke-width", "2.5"), ("fill", "none"),
                ("stroke-linecap", "round"), ("stroke-dasharray", "1 6"),
            ]
        case .accuracy, .accuracyLost:
            [
                ("fill", accent(colours)), ("fill-opacity", ".13"), ("stroke", accent(colours)),
                ("stroke-opacity", ".45"),
            ]
        case .device, .deviceLost: [("fill", accent(colours)), ("stroke", "#fff"), ("stroke-width", "3")]
        case .view: [("fill", "url(#v)")]
        case .viewLost: [("fill", "url(#v)"), ("opacity", ".4")]
        case .north: [("fill", colours.soft)]
        case .title: [("fill", colours.ink), ("font-size", "17"), ("font-weight", "600")]
        case .caption: [("fill", colours.soft)]
        case .halo:
            [
                ("fill", colours.floor), ("stroke", colours.floor), ("stroke-width", "4"),
                ("stroke-opacity", ".8"), ("stroke-linejoin", "round"),
            ]
        case .label: [("fill", colours.ink)]
        case .labelNear: [("fill", colours.ink), ("font-weight", "600")]
        case .reading: [("fill", colours.line), ("font-weight", "600")]
        }
    }

    private func tone(_ colour: String, _ colours: PicturePalette) -> [(name: String, value: String)] {
        [("fill", colour), ("stroke", colours.floor)]
    }

    private func symbol(_ colour: String) -> [(name: String, value: String)] {
        [
            ("stroke", colour), ("stroke-width", "2"), ("fill", "none"), ("stroke-linecap", "round"),
            ("stroke-linejoin", "round"),
        ]
    }

    private func accent(_ colours: PicturePalette) -> String {
        self == .accuracyLost || self == .deviceLost ? colours.soft : colours.line
    }
}

/// The rendered styles of one picture.
struct PictureInk {
    private let texts: [PictureLook: String]
    /// The style sheet for dark mode; empty for a fixed style.
    let styleSheet: String

    init(_ style: PictureStyle) {
        let palette = style == .dark ? PicturePalette.dark : .light
        texts = PictureLook.allCases.reduce(into: [:]) { texts, look in
            let attributes = look.attributes(palette).map { " \($0.name)=\"\($0.value)\"" }
            texts[look] = "class=\"\(look.rawValue)\"" + attributes.joined()
        }
        styleSheet = style == .auto ? Self.darkSheet : ""
    }

    /// Class and presentation attributes of an element.
    func callAsFunction(_ look: PictureLook) -> String { texts[look] ?? "" }

    /// The colours that differ in dark mode, by class: a style sheet overrides presentation attributes.
    private static let darkSheet: String = {
        let rules = PictureLook.allCases.compactMap { look -> String? in
            let pairs = zip(look.attributes(.light), look.attributes(.dark)).filter { $0.value != $1.value }
            let name = look.rawValue.split(separator: " ").last ?? ""
            return pairs.isEmpty
                ? nil : ".\(name){" + pairs.map { "\($1.name):\($1.value)" }.joined(separator: ";") + "}"
        }
        return "<style>@media(prefers-color-scheme:dark){\(rules.joined())}</style>"
    }()
}
