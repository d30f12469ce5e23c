import Text
import Yams

/// The scalars, lists and sections of a YAML text, by key path, with their locations.
///
/// Continues after a duplicate key, so that every problem is reported at once.
struct YAMLDocument {
    struct Entry {
        var path: String
        var input: ConfigurationInput
        var line: Int
        var column: Int
    }

    struct SyntaxError: Error {
        var path = ""
        var line: Int
        var column: Int
        var message: String

        init(_ message: String, path: String = "", at place: FileLocation? = nil) {
            (self.message, self.path) = (message, path)
            (line, column) = (place?.line ?? 1, place?.column ?? 1)
        }

        init(_ message: String, at mark: Mark) {
            self.init(message, at: FileLocation(line: mark.line, column: mark.column))
        }
    }

    /// Values, in the order of the file; an unknown section is one entry.
    private(set) var entries: [Entry] = []
    private(set) var errors: [SyntaxError] = []

    private let isSection: (String) -> Bool

    /// Of the text, bytes.
    static let maximumSize = 1 << 20

    /// Marks a duplicate key.
    ///
    /// The character is legal in YAML and for private use.
    private static let mark: Character = "\u{E000}"

    /// - Parameter isSection: Whether a path is a known section.
    init(_ text: String, isSection: @escaping (String) -> Bool) {
        self.isSection = isSection
        guard text.utf8.count <= Self.maximumSize else {
            errors.append(SyntaxError("the file is larger than \(Self.maximumSize) bytes"))
            return
        }
        do throws(SyntaxError) {
            guard let root = try Self.compose(text) else { return }
            errors += Self.tags(in: root)
            switch root {
            case .mapping(let mapping):
                read(mapping, under: "")
            case .scalar(let scalar)
            where scalar.style == .plain && ["", "~", "null"].contains(scalar.string):
                break
            default:
                let hint = Self.hint(of: Self.input(root))
                throw SyntaxError(
                    "the file must consist of sections such as mqtt:\(hint)",
                    at: Self.place(root)
                )
            }
        } catch {
            errors.append(error)
        }
    }

    private mutating func read(_ mapping: Node.Mapping, under parent: String) {
        var firstLines: [String: Int] = [:]
        for (key, _) in mapping {
            guard let name = key.scalar?.string, name.first == Self.mark, let line = key.mark?.line else {
                continue
            }
            firstLines[Self.unmarked(name)] = min(line, firstLines[Self.unmarked(name)] ?? line)
        }
        for (key, value) in mapping {
            let place = Self.place(key) ?? FileLocation(line: 1, column: 1)
            guard let written = key.scalar?.string else {
                errors.append(SyntaxError("a key must be a plain word", path: parent, at: place))
                continue
            }
            let name = Self.unmarked(written)
            let path = parent.isEmpty ? name : parent + "." + name
            if let first = firstLines[name], first != place.line {
                errors.append(SyntaxError("stands again (first in line \(first))", path: path, at: place))
            }
            let input = Self.input(value)
            if !isSection(path) {
                entries.append(Entry(path: path, input: input, line: place.line, column: place.column))
            } else if input != .null {
                if let mapping = value.mapping {
                    read(mapping, under: path)
                } else {
                    let hint = Self.hint(of: input)
                    let message = "must be a section with keys below it (is \(input.description))\(hint)"
                    errors.append(SyntaxError(message, path: path, at: place))
                }
            }
        }
    }

    /// What was forgotten if this stands where a section is expected.
    private static func hint(of input: ConfigurationInput) -> String {
        switch input {
        case .list: "; leave the dashes out"
        case .scalar(let text, isQuoted: false) where text.contains(":"): "; a colon needs a space behind it"
        case .null, .scalar, .mapping: ""
        }
    }

    private static func unmarked(_ name: String) -> String {
        String(name.drop { $0 == mark })
    }

    /// The depth to which values are read: aliases can make a huge tree of a small text.
    private static let maximumDepth = 4

    private static func input(_ node: Node, depth: Int = 0) -> ConfigurationInput {
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style != .plain && scalar.style != .any
            if !isQuoted, ["", "~", "null", "Null", "NULL"].contains(scalar.string) { return .null }
            return .scalar(scalar.string, isQuoted: isQuoted)
        case .sequence(let sequence):
            guard depth < maximumDepth else { return .list([]) }
            return .list(sequence.map { .init(value: input($0, depth: depth + 1), place: place($0)) })
        case .mapping(let mapping):
            guard depth < maximumDepth else { return .mapping() }
            return .mapping(
                mapping.map {
                    let key = $0.key.scalar?.string ?? ""
                    let value = input($0.value, depth: depth + 1)
                    return .init(key: unmarked(key), value: value, place: place($0.key))
                }
            )
        case .alias:
            return .null
        }
    }

    /// Tags such as `!secret`, which other programs know; reading would leave them out and take the word behind for the
    /// value.
    private static func tags(in node: Node, below path: String = "", depth: Int = 0) -> [SyntaxError] {
        var found: [SyntaxError] = []
        let tag = node.tag.description
        if !tag.isEmpty, !tag.hasPrefix("tag:yaml.org,2002:") {
            let message =
                "the tag \(QuotedValue.of(tag)) is not known here; write the value itself, or name a file with it (…_file)"
            found.append(SyntaxError(message, path: path, at: place(node)))
        }
        guard depth < maximumTagDepth else { return found }
        switch node {
        case .scalar, .alias: break
        case .sequence(let sequence):
            for element in sequence { found += tags(in: element, below: path, depth: depth + 1) }
        case .mapping(let mapping):
            for (key, value) in mapping {
                let name = unmarked(key.scalar?.string ?? "")
                let path = path.isEmpty ? name : path + "." + name
                found += tags(in: key, below: path, depth: depth + 1)
                found += tags(in: value, below: path, depth: depth + 1)
            }
        }
        return found
    }

    /// Deeper than any value that is read; aliases can make a huge tree of a small text.
    private static let maximumTagDepth = 8

    private static func place(_ node: Node) -> FileLocation? {
        node.mark.map { FileLocation(line: $0.line, column: $0.column) }
    }

    /// Parses a text.
    ///
    /// Duplicate keys are marked first: the library stops at them and reports nothing else.
    private static func compose(_ text: String) throws(SyntaxError) -> Node? {
        var text = text
        for _ in 0..<100 {
            do {
                return try Yams.compose(yaml: text)
            } catch YamlError.duplicatedKeysInMapping(_, let context) {
                guard let marked = mark(text, line: context.mark.line, column: context.mark.column) else {
                    break
                }
                text = marked
            } catch let error as YamlError {
                throw syntaxError(error)
            } catch {
                throw SyntaxError("\(error)")
            }
        }
        throw SyntaxError("too many keys stand twice")
    }

    /// The text with a mark in the key that begins at a location; `nil` if there is no such location.
    private static func mark(_ text: String, line: Int, column: Int) -> String? {
        var scalars = Array(text.unicodeScalars)
        var start = 0
        var remaining = line - 1
        while remaining > 0, start < scalars.count {
            if scalars[start] == "\n" { remaining -= 1 }
            start += 1
        }
        var place = start + column - 1
        guard remaining == 0, place >= 0, place < scalars.count else { return nil }
        if scalars[place] == "\"" || scalars[place] == "'" { place += 1 }
        scalars.insert(contentsOf: mark.unicodeScalars, at: place)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
