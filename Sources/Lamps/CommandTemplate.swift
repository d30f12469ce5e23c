import Text
package import Things

/// A command for a lamp in which `{names}` are replaced with values; other braces are literal.
package struct CommandTemplate: Sendable, Hashable {
    /// The names that are replaced.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case state, brightness, level, percent
        case r, g, b, hex
        case h, s
        case x, y
        case kelvin, mired
        case transition
    }

    private enum Piece: Sendable, Hashable {
        case text(Substring)
        case value(Name)
    }

    package let text: String
    private let pieces: [Piece]

    /// - Throws: For an unknown name in braces.
    package init(_ text: String) throws(Refusal) {
        self.text = text
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            let word = rest[rest.index(after: start)...].prefix { $0.isASCII && $0.isLetter }
            guard !word.isEmpty, word.endIndex < rest.endIndex, rest[word.endIndex] == "}" else {
                let next = rest.index(after: start)
                pieces.append(.text(rest[..<next]))
                rest = rest[next...]
                continue
            }
            guard let name = Name(rawValue: String(word)) else {
                let names = Name.allCases.map(\.rawValue)
                throw Refusal(
                    .invalidValue,
                    "unknown name {\(word.prefix(40))}\(NearestName.hint(for: String(word), among: names)); "
                        + "legal: " + names.map { "{\($0)}" }.joined(separator: " ")
                )
            }
            pieces.append(.text(rest[..<start]))
            pieces.append(.value(name))
            rest = rest[rest.index(after: word.endIndex)...]
        }
        self.pieces = pieces + [.text(rest)]
    }

    func uses(_ name: Name) -> Bool { pieces.contains(.value(name)) }

    func text(_ values: (Name) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): String(text)
            case .value(let name): values(name)
            }
        }.joined()
    }
}
