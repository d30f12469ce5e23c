import Flare

/// Makes untrusted text safe for a terminal or a log.
package enum TerminalText {
    /// The text on one line, with control characters, line ends and direction marks escaped.
    package static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: HarmfulCharacters.contain) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where HarmfulCharacters.contain(scalar):
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
