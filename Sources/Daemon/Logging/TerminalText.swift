import Text

/// Makes untrusted text safe for a terminal or a log.
package enum TerminalText {
    /// The text on one line, with control characters, line ends and direction marks escaped.
    package static func visible(_ text: String) -> String {
        escaped(text, where: HarmfulCharacters.contain) { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
    }

    /// Output of a verb, of one or several lines: everything except line ends and tabs is escaped as in JSON.
    ///
    /// JSON stays the same value, so that this serves every output: texts, tables, and `--json`.
    package static func output(_ text: String) -> String {
        let isHarmful = { $0 != "\n" && $0 != "\t" && HarmfulCharacters.contain($0) }
        return escaped(text, where: isHarmful, as: HarmfulCharacters.escape)
    }

    private static func escaped(
        _ text: String,
        where isHarmful: (Unicode.Scalar) -> Bool,
        as escape: (Unicode.Scalar) -> String
    ) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isHarmful(scalar) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }
}
