package import JSON
import Text

/// A key of `setData`: a name, or names joined by dots that address nested objects and lists.
/// - Source: contrib/contract/flare-protocol.md, "4.5 setData".
package struct DataPath: Sendable, Hashable {
    /// The last of the names, and those that lead to it.
    private let name: String
    private let path: ArraySlice<String>

    /// The largest depth of a key.
    package static let maximumDepth = 32

    /// Parses a key; `nil` when the store rejects it: an empty part, a leading `$`, or too deep.
    package init?(_ key: String) {
        guard key[...].firstPlace(of: ".") != nil else {
            guard !key.isEmpty, key.utf8.first != UInt8(ascii: "$") else { return nil }
            (name, path) = (key, [])
            return
        }
        let parts = key.split(separator: ".", maxSplits: Self.maximumDepth, omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count <= Self.maximumDepth,
            parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("$") })
        else { return nil }
        (name, path) = (String(last), parts.dropLast().map(String.init)[...])
    }

    /// Stores a value, creating objects on the way.
    /// - Returns: `false` when it cannot be stored: inside a number or text, or beyond the end of a list.
    package func set(_ value: JSONValue, in data: inout JSONObject) -> Bool {
        guard !path.isEmpty else {
            data[name] = value
            return true
        }
        var root = JSONValue.object(data)
        guard Self.set(value, at: name, under: path, in: &root), case .object(let changed) = root
        else { return false }
        data = changed
        return true
    }

    private static func set(
        _ value: JSONValue,
        at last: String,
        under path: ArraySlice<String>,
        in container: inout JSONValue
    ) -> Bool {
        let name = path.first ?? last
        func store(_ old: JSONValue?) -> JSONValue? {
            guard path.first != nil else { return value }
            var inner = old ?? .object([:])
            guard set(value, at: last, under: path.dropFirst(), in: &inner) else { return nil }
            return inner
        }
        switch container {
        case .object(var members):
            guard let stored = store(members[name]) else { return false }
            members[name] = stored
            container = .object(members)
        case .array(var elements):
            guard let index = Int(name), index >= 0, index <= elements.count else { return false }
            guard let stored = store(index < elements.count ? elements[index] : nil) else { return false }
            if index < elements.count { elements[index] = stored } else { elements.append(stored) }
            container = .array(elements)
        default:
            return false
        }
        return true
    }
}
