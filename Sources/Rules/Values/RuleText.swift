import Text

/// A text with places for what happened.
///
/// A `{` begins the name of a placeholder; `}` alone is a character as any other.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct RuleText: Sendable, Hashable {
    package enum Placeholder: String, Sendable, Hashable, CaseIterable {
        case device, thing, zone, field, value, before, time, rule, why
    }

    package enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    /// No text is empty, and no two are beside each other.
    package let parts: [Part]

    package init(_ parts: [Part]) {
        var joined: [Part] = []
        for part in parts {
            if case .text(let text) = part {
                guard !text.isEmpty else { continue }
                if case .text(let before) = joined.last {
                    joined[joined.count - 1] = .text(before + text)
                    continue
                }
            }
            joined.append(part)
        }
        self.parts = joined
    }

    /// Reads a text; `nil` if a `{` in it begins no placeholder.
    package init?(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstPlace(of: "{") {
            parts.append(.text(String(rest[..<open])))
            rest = rest[rest.utf8.index(after: open)...]
            guard let close = rest.firstPlace(of: "}"),
                let placeholder = Placeholder(rawValue: String(rest[..<close]))
            else { return nil }
            parts.append(.placeholder(placeholder))
            rest = rest[rest.utf8.index(after: close)...]
        }
        self.init(parts + [.text(String(rest))])
    }

    /// As it was written.
    package var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .placeholder(let placeholder): "{\(placeholder.rawValue)}"
            }
        }.joined()
    }

    /// The text with what happened; what a value has in braces stays as it is.
    ///
    /// Values come from things and people: their control characters become spaces, so that none of them
    /// begins a line or a header of its own. The whole has at most ``RuleLimits/text`` characters.
    /// - Parameter value: What a placeholder stands for.
    package func filled(_ value: (Placeholder) -> String) -> String {
        var scalars = String.UnicodeScalarView()
        for part in parts {
            switch part {
            case .text(let text): scalars.append(contentsOf: text.unicodeScalars.prefix(RuleLimits.text))
            case .placeholder(let placeholder):
                for scalar in value(placeholder).unicodeScalars.prefix(RuleLimits.text) {
                    scalars.append(HarmfulCharacters.contain(scalar) ? " " : scalar)
                }
            }
        }
        return QuotedValue.clipped(String(scalars), to: RuleLimits.text)
    }
}
