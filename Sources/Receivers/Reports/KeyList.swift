import JSON
import Text

/// The identity keys that a receiver has, by name: from a file, or from `<topic>/rooms/*/keys/set`.
///
/// A receiver publishes what it hears of them as `irk:<name>`, never with the key.
package struct KeyList: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let name: String
        package let key: IdentityKey

        package init(name: String, key: IdentityKey) { (self.name, self.key) = (name, key) }
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    package static let most = 256
    package static let longestPayload = 65_536
    /// Says what is legal as a name, for messages.
    package static let nameRule =
        "1 to \(HeardID.longestKeyName) of a-z, 0-9, '.', '_' and '-', not only hexadecimal digits with a number among them"

    /// Adds a key.
    ///
    /// - Throws: A sentence, when the name is taken or illegal, the key is there already, or there are too many.
    package mutating func add(_ name: String, _ key: IdentityKey) throws(ReportError) {
        guard (try? HeardID(text: "irk:\(name)")) == .keyName(name) else {
            throw ReportError("the name of a key must be \(Self.nameRule)\(Self.shown(name))")
        }
        if entries.contains(where: { $0.name == name }) {
            throw ReportError("the name \(name) is there twice")
        }
        if let other = entries.first(where: { $0.key == key || $0.key == key.reversed }) {
            throw ReportError("\(other.name) and \(name) have the same key")
        }
        guard entries.count < Self.most else { throw ReportError("at most \(Self.most) keys are legal") }
        entries.append(Entry(name: name, key: key))
    }

    /// Reads a file with a name and a key on each line; what follows `#` is a comment.
    ///
    /// - Throws: The first line that cannot be used, with its number.
    package init(file: String) throws(ReportError) {
        guard file.utf8.count <= Self.longestPayload else {
            throw ReportError(
                "the file has \(file.utf8.count) bytes; at most \(Self.longestPayload) are legal"
            )
        }
        for (index, line) in file.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let text = line.prefix { $0 != "#" }
            guard !String(text).isBlank else { continue }
            let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard let name = words.first, let key = words.dropFirst().first else {
                throw ReportError("line \(index + 1): a line has a name and a key")
            }
            try add(String(name), key: String(key), at: "line \(index + 1)")
        }
    }

    /// Reads the message `{"keys":{"<name>":"<key>"}}`.
    package init(payload: [UInt8]) throws(ReportError) {
        guard payload.count <= Self.longestPayload else {
            throw ReportError(
                "the message has \(payload.count) bytes; at most \(Self.longestPayload) are legal"
            )
        }
        // The parser's reason could quote a key.
        guard let value = try? JSONValue(parsing: payload, maximumDepth: 4, refusesRepeats: true),
            let keys = value.object?["keys"]?.object
        else { throw ReportError(#"must be {"keys":{"<name>":"<key>"}}"#) }
        for (name, key) in keys {
            guard let text = key.string else {
                throw ReportError("each key must be a text\(Self.shown(name, "of"))")
            }
            try add(name, key: text, at: name.utf8.count <= HeardID.longestKeyName ? "keys.\(name)" : "keys")
        }
    }

    package var payload: [UInt8] {
        let keys = JSONObject(entries.map { ($0.name, JSONValue.string($0.key.reveal())) })
        return JSONValue.object(["keys": .object(keys)]).bytes
    }

    /// The name for a message; a long one may be a key that stands in the wrong place.
    private static func shown(_ name: String, _ verb: String = "is") -> String {
        name.utf8.count <= HeardID.longestKeyName ? " (\(verb) \(QuotedValue.of(name)))" : ""
    }

    private mutating func add(_ name: String, key text: String, at place: String) throws(ReportError) {
        let key: IdentityKey
        do throws(IdentityKeyError) {
            key = try IdentityKey(text: text)
        } catch {
            throw ReportError("\(place): \(error)")
        }
        do throws(ReportError) {
            try add(name, key)
        } catch {
            throw ReportError("\(place): \(error)")
        }
    }
}
