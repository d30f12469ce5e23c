package import Profiles
import Text
import Yams

extension ProfileForm {
    /// The text of a YAML file; readers of YAML 1.1 and 1.2 find the same values in it.
    ///
    /// - Throws: The library's error, such as for a lack of memory; no text is known that it cannot write.
    package var yaml: String {
        get throws {
            var root = tree.node
            root.mapping?.style = .block
            // Each text stays in one line, however long it is.
            let text = try Yams.serialize(node: root, width: -1, allowUnicode: true)
            return Self.readable(text).split(separator: "\n")
                .map { HarmfulCharacters.escaped(in: String($0)) + "\n" }.joined()
        }
    }

    /// The library escapes all above U+FFFF, such as emoji; it does so in double quotes, where they may stand too.
    private static func readable(_ text: String) -> String {
        guard text.contains("\\U") else { return text }
        return text.replacing(#/\\(?:U([0-9A-F]{8})|.)/#.matchingSemantics(.unicodeScalar)) { match in
            let scalar = match.1.flatMap { UInt32($0, radix: 16) }.flatMap(Unicode.Scalar.init)
            return scalar.map { String($0) } ?? String(match.0)
        }
    }
}

extension PlacedValue {
    /// In one line where its JSON, which has more quotes, needs at most 120 bytes.
    fileprivate var node: Node {
        var isSmall: Bool { OneLineForm.text(of: self, room: 120) != nil }
        switch content {
        case .null: return Node("null")
        case .bool(let flag): return Node("\(flag)")
        case .number(let number): return Node(number.text)
        case .string(let text): return Self.node(text)
        case .list(let elements): return Node(elements.map(\.node), .implicit, isSmall ? .flow : .block)
        case .object(let members):
            let pairs = members.map { (Self.node($0.key), $0.value.node) }
            return Node(pairs, .implicit, isSmall ? .flow : .block)
        }
    }

    private static func node(_ text: String) -> Node {
        Node(text, Tag(.str), isPlain(text) ? .plain : .doubleQuoted)
    }

    /// What YAML 1.1 or 1.2 reads as no text, if it begins with a letter.
    private static let words: Set = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]

    /// Whether no reader can take the text for something else.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isWordCharacter(first), !("0"..."9").contains(first),
            text.unicodeScalars.last != " ", !words.contains(text.lowercased())
        else { return false }
        return text.unicodeScalars.allSatisfy {
            isWordCharacter($0) || " -./+()%$^".unicodeScalars.contains($0)
        }
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return scalar == "_" || properties.isAlphabetic || properties.numericType != nil
            || properties.generalCategory == .otherSymbol
    }
}
