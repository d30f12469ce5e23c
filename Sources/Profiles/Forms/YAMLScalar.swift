import JSON
import Text

/// Texts in YAML.
enum YAMLScalar {
    /// Without quotes where nobody can take it for something else; otherwise in double quotes, with JSON's escapes.
    static func text(of text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            text.utf8.count <= 500
        else { return false }
        guard isWordCharacter(first), last != " " else { return false }
        guard
            text.unicodeScalars.allSatisfy({ isWordCharacter($0) || " -./+()%$^".unicodeScalars.contains($0) }
            )
        else { return false }
        guard case .string = PlacedValue.Content(plainYAML: text) else { return false }
        return !mightBeOther(text)
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar == "_" || UInt8(ascii: scalar).isASCIILetter || UInt8(ascii: scalar).isASCIIDigit
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .otherLetter, .titlecaseLetter, .otherSymbol, .otherNumber:
            return true
        default: return false
        }
    }

    /// What YAML 1.1 reads as a boolean, a number or a date.
    private static func mightBeOther(_ text: String) -> Bool {
        let words = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]
        if text.utf8.count <= 5, words.contains(text.lowercased()) { return true }
        guard let first = text.utf8.first, first.isASCIIDigit else { return false }
        return text.utf8.allSatisfy {
            $0.isASCIIDigit || "abcdefxABCDEFX_-+.:oOeE".utf8.contains($0)
        }
    }

    /// In double quotes, with JSON's escapes: also for what YAML has no room for in a text, or what harms a terminal.
    static func quoted(_ text: String) -> String {
        let json = JSONValue.string(text).text
        guard json.unicodeScalars.contains(where: isUnprintable) else { return json }
        var quoted = ""
        for scalar in json.unicodeScalars {
            if isUnprintable(scalar) {
                quoted += HarmfulCharacters.escape(scalar)
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }

    /// - Source: YAML 1.2.2, section 5.1; line ends of YAML 1.1 too. All are below U+10000.
    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: HarmfulCharacters.contain(scalar)
        }
    }
}
