import Controller

/// Readable names and entity ids from the keys and actions of a place.
enum PlainName {
    /// `nextColor` and `next_color` as "Next color".
    static func of(_ key: String) -> String {
        var name = ""
        var wasLower = false
        for character in key.prefix(80) {
            if character == "_" || character == "-" || character == " " {
                if !name.isEmpty, name.last != " " { name.append(" ") }
                wasLower = false
                continue
            }
            if character.isUppercase, wasLower { name.append(" ") }
            let isInside = wasLower && character.isUppercase
            name.append(contentsOf: isInside ? character.lowercased() : String(character))
            wasLower = character.isLowercase || character.isNumber
        }
        while name.last == " " { name.removeLast() }
        return (name.first.map { $0.uppercased() } ?? "") + name.dropFirst()
    }

    /// Whether a text is unambiguous as a plain payload.
    static func isWord(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
        }
    }

    /// Whether a key is valid as a topic level.
    static func isTopicLevel(_ key: String) -> Bool {
        (1...100).contains(key.utf8.count)
            && !key.unicodeScalars.contains {
                $0 == "+" || $0 == "#" || $0 == "/" || $0.properties.generalCategory == .control
                    || $0.properties.isNoncharacterCodePoint
            }
    }
}

/// Gives each key of a device a unique entity name: keys may differ only in characters that entity ids lack.
struct UniqueNames {
    private var given: Set<ComponentName> = []

    mutating func name(_ platform: ComponentName.Platform, for key: String) -> ComponentName {
        let stem = SlugRegistry.slug(from: key) ?? "value"
        var name = ComponentName(platform, stem)
        var number = 2
        while !given.insert(name).inserted {
            name = ComponentName(platform, "\(stem)_\(number)")
            number += 1
        }
        return name
    }
}
