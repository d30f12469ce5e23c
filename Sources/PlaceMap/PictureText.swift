/// Text in a picture: sanitised, limited, and measured approximately.
enum PictureText {
    /// Most characters of a name.
    private static let characterLimit = 40
    /// Most scalars of a name, since a character may consist of many.
    private static let scalarLimit = 60

    /// A name on one line, without characters that XML forbids or that change the writing direction.
    static func clean(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        var wasSpace = true
        for scalar in name.unicodeScalars.prefix(1000) where scalars.count < scalarLimit {
            if scalar.properties.isWhitespace {
                if !wasSpace { scalars.append(" ") }
                wasSpace = true
            } else if isDrawable(scalar) {
                scalars.append(scalar)
                wasSpace = false
            }
        }
        let text = String(scalars)
        let isCut = name.utf8.count > 4 * scalarLimit || text.count > characterLimit
        let short = isCut ? text.prefix(characterLimit - 1) + "…" : Substring(text)
        return String(short.last == " " ? short.dropLast() : short)
    }

    /// The text escaped for XML content and attributes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Approximate width of a text in units of the picture; the renderer's font is unknown.
    static func width(_ text: String, size: Double) -> Double {
        text.unicodeScalars.reduce(0) { $0 + share($1) } * size
    }

    /// The text on one line, and on the two lines that are narrowest.
    static func lines(of text: String) -> [[String]] {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: " ")
        let halves = (1..<max(1, parts.count)).map { at in
            [parts[..<at].joined(separator: " "), parts[at...].joined(separator: " ")]
        }
        let narrowest = halves.min { first, second in
            (first.map(\.count).max() ?? 0) < (second.map(\.count).max() ?? 0)
        }
        return [[text]] + (narrowest.map { [$0] } ?? [])
    }

    /// The text, cut to a width; `nil` when hardly anything would remain.
    static func fitted(_ text: String, size: Double, width limit: Double) -> String? {
        if width(text, size: size) <= limit { return text.isEmpty ? nil : text }
        var (short, used) = (Substring(), size * 0.8)
        for index in text.indices {
            used += width(String(text[index]), size: size)
            guard used <= limit else { break }
            short = text[...index]
        }
        return short.count < 3 ? nil : "\(short.last == " " ? short.dropLast() : short)…"
    }

    /// Width of a character relative to the font size, in the widest of the common fonts (DejaVu Sans).
    private static func share(_ scalar: Unicode.Scalar) -> Double {
        guard scalar.isASCII else {
            return switch scalar.value {
            case 0x300..<0x370, 0x200B...0x200F, 0xFE00...0xFE0F: 0
            case 0x80..<0x250: 0.7
            case 0x370..<0x1100, 0x2000..<0x2070: 0.75
            case 0x1F000...: 1.3
            default: 1
            }
        }
        return switch Character(scalar) {
        case "i", "j", "l", "I", "|", "'": 0.35
        case " ", ",", ".", "/", ":", ";", "\\", "f", "-", "(", ")", "[", "]", "t", "!", "r": 0.41
        case "s", "z", "c", "k", "J", "L", "F", "?", "*", "_", "`", "\"": 0.58
        case "m", "W", "%", "@": 1
        case "w", "M", "#", "+", "<", "=", ">", "^", "~": 0.87
        case "C", "U", "H", "N", "D", "G", "O", "Q", "&": 0.79
        case "A"..."Z", "{", "}": 0.7
        default: 0.64
        }
    }

    /// Width of semibold relative to regular.
    static let boldShare = 1.15

    private static func isDrawable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Joiners combine characters (emoji, Indic scripts); other format characters change the writing
        // direction.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        case .control, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
