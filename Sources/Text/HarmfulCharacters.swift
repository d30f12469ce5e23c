import JSON

/// Characters that change how a terminal or a log shows what stands around them.
package enum HarmfulCharacters {
    /// Control characters, line ends and direction marks.
    package static func contain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format:
            switch scalar.value {
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        default: false
        }
    }

    /// The text with these characters as in JSON: `\u202e`.
    package static func escaped(in text: String) -> String {
        guard text.unicodeScalars.contains(where: contain) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if contain(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// As in JSON, for characters below U+10000; all harmful ones are.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension JSONValue {
    /// Compact JSON that is safe for a terminal, and still the same value.
    package var visibleText: String { HarmfulCharacters.escaped(in: text) }
}
