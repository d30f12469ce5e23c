package import JSON

/// Formats a received value for a message: shortened, on one line, as JSON.
package enum QuotedValue {
    package static let limit = 60

    /// A JSON value; texts are quoted.
    package static func of(_ value: JSONValue) -> String {
        if case .string(let text) = value { return of(text) }
        return shortened(SecretMask.tokens.masked(value.visibleText))
    }

    /// A text in quotes.
    package static func of(_ text: String) -> String {
        let text = SecretMask.tokens.masked(text)
        let isShort = text.unicodeScalars.count <= limit
        let quoted = JSONValue.string(clipped(text, to: limit)).visibleText
        return isShort ? quoted : "\(quoted.dropLast())…\""
    }

    /// A list of names for a sentence: `red, green, blue`; at most 40 of them, with control characters escaped.
    package static func list(_ names: some Collection<String>) -> String {
        let shown = names.prefix(40).map {
            HarmfulCharacters.escaped(in: shortened(SecretMask.tokens.masked($0)))
        }.joined(
            separator: ", "
        )
        return names.count > 40 ? "\(shown), …" : shown
    }

    /// The first so many characters (Unicode scalars) of a text.
    package static func clipped(_ text: String, to count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var clipped = String.UnicodeScalarView()
        clipped.append(contentsOf: text.unicodeScalars.prefix(count))
        return String(clipped)
    }

    private static func shortened(_ text: String) -> String {
        let start = clipped(text, to: limit)
        return start.utf8.count == text.utf8.count ? text : "\(start)…"
    }
}
