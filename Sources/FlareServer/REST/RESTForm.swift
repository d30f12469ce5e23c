import HTTPListener
package import JSON

/// A form or query whose names use brackets for nesting: `data[color]=red&actions[]=on`.
///
/// Values stay text. A repeated name makes a list; a number up to 20 in brackets is an index.
/// - Source: contrib/contract/flare-protocol.md, "2.1 Requests and answers"; the `qs` library's extended
///   syntax and its limits.
package enum RESTForm {
    package static let maximumParameters = 1000
    package static let maximumDepth = 5
    package static let maximumIndex = 20

    package struct TooManyParameters: Error {}

    /// The decoded names and values.
    static func pairs(_ text: Substring) throws(TooManyParameters) -> [(
        name: String, value: String
    )] {
        let parts = text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: maximumParameters).map {
            Substring($0)
        }
        guard parts.count <= maximumParameters else { throw TooManyParameters() }
        return parts.map { part in
            // The name ends at the first `=` outside of brackets.
            let bracketed = part.firstRange(of: "]=")
            let end = bracketed.map { part.index(after: $0.lowerBound) } ?? part.firstIndex(of: "=")
            guard let end else { return (part.formDecoded, "") }
            return (part[..<end].formDecoded, part[part.index(after: end)...].formDecoded)
        }
    }

    /// The form as an object.
    package static func object(_ text: String) throws(TooManyParameters) -> JSONObject {
        var root: [String: Node] = [:]
        for (name, value) in try pairs(text[...]) where !name.isEmpty {
            let path = path(of: name)
            guard let first = path.first else { continue }
            var node = root.removeValue(forKey: first)
            Node.insert(value, at: path.dropFirst(), into: &node)
            root[first] = node
        }
        return JSONObject(root.mapValues(\.json))
    }

    /// Splits `a[b][]` into `a`, `b` and the empty text; the rest beyond the depth limit stays one name.
    private static func path(of name: String) -> [String] {
        guard let open = name.firstIndex(of: "["), name.last == "]" else { return [name] }
        var path = open == name.startIndex ? [] : [String(name[..<open])]
        var rest = name[open...]
        while rest.first == "[", let close = rest.firstIndex(of: "]") {
            if path.count > maximumDepth {
                path.append(String(rest))
                return path
            }
            path.append(String(rest[rest.index(after: rest.startIndex)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        return rest.isEmpty ? path : [name]
    }

    /// A partly decoded form; a list may have gaps.
    private indirect enum Node {
        case text(String)
        /// A name without a value in an object.
        case flag
        case list([Int: Node])
        case object([String: Node])

        static func insert(_ value: String, at path: ArraySlice<String>, into node: inout Node?) {
            guard let key = path.first else { return add(value, to: &node) }
            let rest = path.dropFirst()
            switch node {
            case nil:
                node = index(key) != nil || key.isEmpty ? .list([:]) : .object([:])
                insert(value, at: path, into: &node)
            case .text?, .flag?:
                let old = node
                if index(key) != nil || key.isEmpty {
                    node = old.map { .list([0: $0]) }
                } else if case .text(let text) = old {
                    node = .object([text: .flag])
                } else {
                    node = .object([:])
                }
                insert(value, at: path, into: &node)
            case .list(var elements)?:
                guard let place = key.isEmpty ? next(elements) : index(key) else {
                    let named = elements.map { (String($0.key), $0.value) }
                    node = .object(Dictionary(named) { first, _ in first })
                    return insert(value, at: path, into: &node)
                }
                var element = elements.removeValue(forKey: place)
                insert(value, at: rest, into: &element)
                elements[place] = element
                node = .list(elements)
            case .object(var members)?:
                let name = key.isEmpty ? String(members.count) : key
                var member = members.removeValue(forKey: name)
                insert(value, at: rest, into: &member)
                members[name] = member
                node = .object(members)
            }
        }

        private static func add(_ value: String, to node: inout Node?) {
            switch node {
            case nil: node = .text(value)
            case .list(var elements)?:
                elements[next(elements)] = .text(value)
                node = .list(elements)
            case .object(var members)?:
                members[value] = .flag
                node = .object(members)
            case let old?: node = .list([0: old, 1: .text(value)])
            }
        }

        private static func index(_ key: String) -> Int? {
            guard key.utf8.count <= 2, let number = Int(key), String(number) == key,
                (0...maximumIndex).contains(number)
            else { return nil }
            return number
        }

        private static func next(_ elements: [Int: Node]) -> Int {
            (elements.keys.max() ?? -1) + 1
        }

        var json: JSONValue {
            switch self {
            case .text(let text): .string(text)
            case .flag: true
            case .list(let elements): .array(elements.sorted { $0.key < $1.key }.map(\.value.json))
            case .object(let members): .object(JSONObject(members.mapValues(\.json)))
            }
        }
    }
}

extension StringProtocol {
    /// A decoded name or value of a form: a plus is a space; an invalid encoding stays unchanged.
    fileprivate var formDecoded: String {
        let bytes = utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let spaced = String(decoding: bytes, as: UTF8.self)
        return spaced.percentDecoded ?? spaced
    }
}
