import Profiles
import Text
import Yams

/// Reads a YAML text as a tree with places, by the rules for profile files.
///
/// Only `true` and `false` are booleans. Aliases, anchors and tags are refused; duplicate keys are kept as they stand.
struct YAMLTree {
    /// Why a text cannot be read, and where.
    struct Failure: Error {
        var position: SourcePosition
        var message: String
        var code: ProfileProblem.Code

        init(_ position: SourcePosition, _ message: String, _ code: ProfileProblem.Code = .badJSON) {
            (self.position, self.message, self.code) = (position, message, code)
        }
    }

    /// Each duplicate key costs a further pass; their number is limited, and so is the work for large files.
    ///
    /// What stands
    /// again behind that is one problem.
    private static let maximumPasses = 100
    private static let maximumWork = 1 << 20

    private var scalars: [Unicode.Scalar]
    private let lineStarts: [Int]
    /// The keys whose first character was replaced because they stand twice: the library refuses such objects.
    private var keys: [SourcePosition: String] = [:]

    /// - Parameter text: At most 1 MiB, without a byte order mark.
    /// - Returns: The tree, which is null for an empty text.
    static func read(_ text: String) throws(Failure) -> PlacedValue {
        var tree = YAMLTree(text)
        let original = tree.scalars
        // The library resolves aliases while it reads, and a few of them can make a tree without end. So it first gets
        // a text in which they are plain words.
        for index in original.indices.dropLast()
        where original[index] == "*" && isWordCharacter(original[index + 1]) {
            tree.scalars[index] = "x"
        }
        if tree.scalars != original {
            let neutral = try tree.compose()
            _ = try tree.value(neutral, original)
            (tree.scalars, tree.keys) = (original, [:])
        }
        let root = try tree.compose()
        return try tree.value(root, original)
    }

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var starts = [0]
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\r":
                if index + 1 == scalars.count || scalars[index + 1] != "\n" { starts.append(index + 1) }
            // Line breaks of YAML 1.1.
            case "\n", "\u{85}", "\u{2028}", "\u{2029}": starts.append(index + 1)
            default: break
            }
        }
        lineStarts = starts
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    private func index(of position: SourcePosition) -> Int? {
        guard position.line >= 1, position.line <= lineStarts.count, position.column >= 1 else { return nil }
        let index = lineStarts[position.line - 1] + position.column - 1
        return index < scalars.count ? index : nil
    }

    // MARK: - Composing

    private mutating func compose() throws(Failure) -> Node? {
        let passes = min(Self.maximumPasses, Self.maximumWork / max(1, scalars.count))
        var last = (name: "", position: SourcePosition(line: 1, column: 1))
        for pass in 0...passes {
            do {
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                return try Yams.compose(yaml: String(text), .basic, .default, .utf8)
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let position = SourcePosition(line: context.mark.line, column: context.mark.column)
                last = (names.first ?? "", position)
                try replaceKey(last.name, at: position, pass: pass)
            } catch let error as YamlError {
                let error = YAMLDocument.syntaxError(error)
                throw Failure(SourcePosition(line: error.line, column: error.column), error.message)
            } catch {
                throw Failure(last.position, "\(error)")
            }
        }
        throw Self.duplicate(last.name, at: last.position)
    }

    /// Makes a key unique: its first character becomes one for private use, another one in each pass.
    private mutating func replaceKey(_ name: String, at position: SourcePosition, pass: Int) throws(Failure) {
        guard var place = index(of: position), let mark = Unicode.Scalar(UInt32(0xE000 + pass)) else {
            throw Self.duplicate(name, at: position)
        }
        let opening = scalars[place]
        guard opening != "[", opening != "{" else { throw Failure(position, "a key must be a text") }
        let quote = opening == "\"" || opening == "'" ? opening : nil
        if quote != nil { place += 1 }
        guard place + 1 < scalars.count else { throw Self.duplicate(name, at: position) }
        switch (quote, scalars[place]) {
        case ("'", "'"), ("\"", "\""):
            // An escaped quote, or the end of an empty key, which only stays a key without quotes before a space.
            let next = scalars[place + 1]
            let isEmpty =
                name.isEmpty && next == ":" && place + 2 < scalars.count && scalars[place + 2] == " "
            guard isEmpty || next == "'" else { throw Self.duplicate(name, at: position) }
            if isEmpty { scalars[place - 1] = "x" } else { scalars[place + 1] = "x" }
        case ("\"", "\\"):
            // What was escaped stands for itself; a line that goes on still does.
            if ["\"", "\\"].contains(scalars[place + 1]) { scalars[place + 1] = "x" }
        case (_, let first):
            guard first == name.unicodeScalars.first else { throw Self.duplicate(name, at: position) }
        }
        scalars[place] = mark
        keys[position] = name
    }

    /// The library says where the first of the keys stands that it did not skip.
    private static func duplicate(_ name: String, at position: SourcePosition) -> Failure {
        Failure(
            position,
            "\(QuotedValue.of(name)) stands again in its object; the rest is not read",
            .duplicate
        )
    }

    // MARK: - The tree

    /// - Parameter source: The text as it was given.
    private func value(
        _ node: Node?,
        _ source: [Unicode.Scalar],
        depth: Int = 0
    ) throws(Failure) -> PlacedValue {
        guard let node else { return PlacedValue(.null, at: SourcePosition(line: 1, column: 1)) }
        let position = SourcePosition(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
        try refuseReferences(at: position, source)
        guard depth < ProfileSource.maximumDepth || node.scalar != nil else {
            throw Failure(position, "nested more than \(ProfileSource.maximumDepth) deep")
        }
        switch node {
        case .scalar(let scalar):
            return PlacedValue(Self.content(scalar), at: position)
        case .sequence(let sequence):
            var values: [PlacedValue] = []
            values.reserveCapacity(sequence.count)
            for element in sequence { values.append(try value(element, source, depth: depth + 1)) }
            return PlacedValue(.list(values), at: position)
        case .mapping(let mapping):
            var members: [PlacedValue.Member] = []
            members.reserveCapacity(mapping.count)
            for (key, element) in mapping {
                let place = SourcePosition(line: key.mark?.line ?? 1, column: key.mark?.column ?? 1)
                try refuseReferences(at: place, source)
                guard let scalar = key.scalar else { throw Failure(place, "a key must be a text") }
                members.append(
                    PlacedValue.Member(
                        key: keys[place] ?? scalar.string,
                        keyPosition: place,
                        value: try value(element, source, depth: depth + 1)
                    )
                )
            }
            return PlacedValue(.object(members), at: position)
        case .alias:
            throw Failure(position, "an alias (*name) is not possible here; write the value again")
        }
    }

    /// A value begins with its anchor or tag, if it has one.
    private func refuseReferences(at position: SourcePosition, _ source: [Unicode.Scalar]) throws(Failure) {
        guard let index = index(of: position) else { return }
        switch source[index] {
        case "*": throw Failure(position, "an alias (*name) is not possible here; write the value again")
        case "&": throw Failure(position, "an anchor (&name) is not possible here; leave it out")
        case "!": throw Failure(position, "a tag (!name) is not possible here; leave it out")
        default: break
        }
    }

    private static func content(_ scalar: Node.Scalar) -> PlacedValue.Content {
        let isPlain = scalar.style == .plain || scalar.style == .any
        return isPlain ? PlacedValue.Content(plainYAML: scalar.string) : .string(scalar.string)
    }
}
