/// Texts of a picture: harmless, short enough, and about so wide.
enum PictureText {
    /// The most characters of a name that are kept.
    private static let characterLimit = 40
    /// The most scalars of it: a character may be built of many.
    private static let scalarLimit = 60

    /// A name on one line, without what XML cannot hold or what turns the direction of writing.
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

    /// The text as XML has it, in content and in attributes.
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

    /// About how wide the text will be, in units of the picture; nobody can tell which font will be there.
    static func width(_ text: String, size: Double) -> Double {
        text.unicodeScalars.reduce(0) { $0 + share($1) } * size
    }

    /// The text, cut so that it is no wider; `nil` when hardly anything would be left.
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

    /// The width of a character as a share of the font's size.
    private static func share(_ scalar: Unicode.Scalar) -> Double {
        switch scalar.value {
        case 0x21, 0x27, 0x2C, 0x2E, 0x3A, 0x3B, 0x49, 0x69, 0x6A, 0x6C, 0x7C: 0.28
        case 0x20, 0x28, 0x29, 0x2D, 0x2F, 0x66, 0x72, 0x74: 0.36
        case 0x4D, 0x57, 0x6D, 0x77, 0x40, 0x25: 0.86
        case 0x41...0x5A: 0.66
        case 0..<0x300: 0.55
        case 0x300..<0x370, 0x200B...0x200F, 0xFE00...0xFE0F: 0
        case 0x370..<0x1100: 0.6
        default: 1
        }
    }

    private static func isDrawable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Joiners make one character of several (emoji, Indic scripts); other format characters change the direction.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        case .control, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
