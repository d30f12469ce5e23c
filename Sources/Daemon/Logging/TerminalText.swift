import Text

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

    /// Output of a verb, of one or several lines: everything except line ends and tabs is escaped as in JSON.
    ///
    /// JSON stays the same value, so that this serves every output: texts, tables, and `--json`.
    package static func output(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isEscapedInOutput) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isEscapedInOutput(scalar) {
                result += HarmfulCharacters.escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isEscapedInOutput(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar != "\t" && HarmfulCharacters.contain(scalar)
    }
}
