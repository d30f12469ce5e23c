package import Flare

/// The slugs of objects: `[a-z0-9-]`, unique per class, assigned once and kept when an object is renamed.
package struct SlugRegistry: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let slug: String
        /// The environment that last contained the object; `nil` for an environment, or if unknown.
        var home: FlareID?
    }

    private var entries: [ObjectReference: Entry] = [:]
    private var owners: [FlareClass: [String: FlareID]] = [:]
    /// The number to try next for each taken stem, so that many equal names cost the same each.
    private var nextNumbers: [FlareClass: [String: Int]] = [:]

    package init() {}

    /// Restores a slug that was assigned earlier.
    package mutating func restore(_ slug: String, for object: ObjectReference, home: FlareID? = nil) {
        guard entries[object] == nil, owners[object.kind]?[slug] == nil else { return }
        entries[object] = Entry(slug: slug, home: home)
        owners[object.kind, default: [:]][slug] = object.id
    }

    /// The object's slug, if it has one.
    package subscript(kind: FlareClass, id: FlareID) -> String? { entries[ObjectReference(kind, id)]?.slug }

    /// The object with this slug, if any.
    package func id(of slug: String, kind: FlareClass) -> FlareID? { owners[kind]?[slug] }

    /// The environment that last contained the object.
    package func home(of object: ObjectReference) -> FlareID? { entries[object]?.home }

    /// All objects of a class that have a slug.
    package func objects(of kind: FlareClass) -> [ObjectReference] {
        owners[kind]?.values.map { ObjectReference(kind, $0) } ?? []
    }

    /// Records an object's environment, and assigns a slug made from its name if it has none.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether the slug must not tell which others are taken: then it always ends in digits of the
    ///     identifier.
    ///   - gone: Removed objects, whose slugs may be reused; evaluated only if a slug is taken.
    /// - Returns: The slug; `nil` if neither slug nor environment is new.
    package mutating func assign(
        to object: ObjectReference,
        name: String,
        home: FlareID? = nil,
        isPrivate: Bool = false,
        gone: @autoclosure () -> Set<FlareID> = []
    ) -> String? {
        if let entry = entries[object] {
            guard entry.home != home else { return nil }
            entries[object]?.home = home
            return entry.slug
        }
        var stem = Self.slug(from: name) ?? object.kind.rawValue
        if isPrivate { stem += "-\("\(object.id)".suffix(6))" }
        var slug = stem
        var number = nextNumbers[object.kind]?[stem] ?? 2
        while Self.isWord(slug, of: object.kind)
            || owners[object.kind]?[slug].map({ !gone().contains($0) }) ?? false
        {
            slug = "\(stem)-\(number)"
            number += 1
        }
        if let owner = owners[object.kind]?[slug] { forget(ObjectReference(object.kind, owner)) }
        nextNumbers[object.kind, default: [:]][stem] = number
        restore(slug, for: object, home: home)
        return slug
    }

    /// Removes an object and releases its slug.
    package mutating func forget(_ object: ObjectReference) {
        guard let entry = entries.removeValue(forKey: object) else { return }
        owners[object.kind]?[entry.slug] = nil
    }

    /// Whether commands reserve this word.
    private static func isWord(_ slug: String, of kind: FlareClass) -> Bool {
        kind == .environment && (slug == "next" || slug == "previous")
    }

    /// Converts a name to a slug of a-z, digits and single hyphens; `nil` if nothing is left.
    ///
    /// Accented letters become plain ones; ligatures and ß are spelled out.
    package static func slug(from name: String, maximumLength: Int = 48) -> String? {
        var slug = ""
        var pendingHyphen = false
        for character in name.lowercased() {
            guard let letters = plain(character) else {
                pendingHyphen = !slug.isEmpty
                continue
            }
            let part = pendingHyphen ? "-" + letters : letters
            guard slug.utf8.count + part.utf8.count <= maximumLength else { break }
            pendingHyphen = false
            slug.append(part)
        }
        return slug.isEmpty ? nil : slug
    }

    private static let spellings: [Character: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "ł": "l", "đ": "d", "ı": "i",
        "à": "a", "á": "a", "â": "a", "ã": "a", "ä": "a", "å": "a", "ā": "a", "ă": "a", "ą": "a",
        "ç": "c", "ć": "c", "č": "c", "ď": "d", "è": "e", "é": "e", "ê": "e", "ë": "e", "ē": "e", "ę": "e",
        "ě": "e", "ğ": "g", "ì": "i", "í": "i", "î": "i", "ï": "i", "ī": "i", "ñ": "n", "ń": "n", "ň": "n",
        "ò": "o", "ó": "o", "ô": "o", "õ": "o", "ö": "o", "ō": "o", "ő": "o", "ř": "r", "ś": "s", "š": "s",
        "ş": "s", "ș": "s", "ť": "t", "ț": "t", "ţ": "t", "ù": "u", "ú": "u", "û": "u", "ü": "u", "ū": "u",
        "ů": "u", "ű": "u", "ý": "y", "ÿ": "y", "ź": "z", "ż": "z", "ž": "z",
    ]

    private static func plain(_ character: Character) -> String? {
        if let ascii = character.asciiValue {
            let isLetter = ascii >= UInt8(ascii: "a") && ascii <= UInt8(ascii: "z")
            let isDigit = ascii >= UInt8(ascii: "0") && ascii <= UInt8(ascii: "9")
            return isLetter || isDigit ? String(character) : nil
        }
        if let spelling = spellings[character] { return spelling }
        // A plain letter with combining marks that has no precomposed character.
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.isASCII, scalars.count > 1,
            scalars.dropFirst().allSatisfy({ $0.properties.canonicalCombiningClass != .notReordered })
        else { return nil }
        return plain(Character(first))
    }
}
