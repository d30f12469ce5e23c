import Foundation
import JSON
import Testing
import Yams

/// The files for users, as they lie in the repository.
enum Contrib {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func json(_ path: String) throws -> JSONValue { try JSONValue(parsing: text(path)) }

    static func yaml(_ path: String) throws -> Node { try #require(try Yams.compose(yaml: text(path))) }
}

extension Node {
    /// The members of a mapping, by name.
    var members: [String: Node] {
        guard let mapping else { return [:] }
        return Dictionary(mapping.compactMap { key, value in key.string.map { ($0, value) } }) { first, _ in
            first
        }
    }

    var elements: [Node] { sequence.map { Array($0) } ?? [] }

    /// This node and all within it.
    var everything: [Node] {
        [self] + (mapping?.flatMap { $0.value.everything } ?? []) + elements.flatMap(\.everything)
    }

    /// What an `!input` names.
    var inputName: String? {
        guard let scalar, scalar.tag.description == "!input" else { return nil }
        return scalar.string
    }
}

/// What may stand in a mapping, and what must.
struct Keys {
    let needed: Set<String>
    let optional: Set<String>

    init(_ needed: Set<String>, _ optional: Set<String> = []) {
        self.needed = needed
        self.optional = optional
    }

    /// What is wrong with these keys, if something is.
    func problem(_ keys: some Sequence<String>) -> String? {
        let keys = Set(keys)
        let (missing, unknown) = (needed.subtracting(keys), keys.subtracting(needed.union(optional)))
        if missing.isEmpty, unknown.isEmpty { return nil }
        return "missing: \(missing.sorted()), unknown: \(unknown.sorted())"
    }
}
