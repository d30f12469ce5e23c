package import Flare
package import JSON

/// A model for a file, from which ``ModelTree/read(_:limit:makeID:)`` reads the same objects.
package struct ModelExport: Sendable, Hashable {
    package let json: JSONValue
    /// Objects that are not in the tree, because their parents do not exist or contradict each other.
    package let orphans: [ObjectReference]

    /// - Parameter records: In order of creation.
    package init(_ records: [FlareRecord]) {
        let byReference = Dictionary(records.map { ($0.reference, $0) }) { first, _ in first }
        var children: [ObjectReference: [FlareRecord]] = [:]
        for record in records where record.kind != .environment {
            if let parent = record.parent, byReference[parent] != nil {
                children[parent, default: []].append(record)
            }
        }
        var written: Set<ObjectReference> = []
        func json(_ record: FlareRecord) -> JSONValue {
            written.insert(record.reference)
            var members = record.members
            for key in ["__v", "created", "modified", "environment"] { members[key] = nil }
            if record.kind == .thing { members["zone"] = nil }
            if record.kind == .device {
                // Its zone or nearest thing may have been removed since.
                if record.zone.map({ byReference[.init(.zone, $0)] == nil }) ?? true { members["zone"] = nil }
                if record.nearest.map({ byReference[.init(.thing, $0)] == nil }) ?? true {
                    members["nearest"] = nil
                }
            }
            let below = children[record.reference] ?? []
            if record.kind == .environment {
                members["zones"] = .array(below.filter { $0.kind == .zone }.map(json))
                members["devices"] = .array(below.filter { $0.kind == .device }.map(json))
            } else if record.kind == .zone {
                let things = below.filter { $0.environment == record.environment }
                members["things"] = .array(things.map(json))
            }
            return .object(members)
        }
        let environments = records.filter { $0.kind == .environment }.map(json)
        self.json = ["environments": .array(environments)]
        orphans = records.map(\.reference).filter { !written.contains($0) }
    }

    /// A model exported by another process.
    package init(json: JSONValue, orphans: [ObjectReference]) {
        (self.json, self.orphans) = (json, orphans)
    }

    /// The contents of the file: indented, with sorted keys.
    package var bytes: [UInt8] { Array((json.indented + "\n").utf8) }
}

extension FlareRecord {
    /// The parent in the tree.
    fileprivate var parent: ObjectReference? {
        switch kind {
        case .environment: nil
        case .zone, .device: environment.map { ObjectReference(.environment, $0) }
        case .thing: zone.map { ObjectReference(.zone, $0) }
        }
    }
}

extension JSONValue {
    /// Readable JSON with sorted keys: a line for each member, except for short objects and lists without nesting.
    fileprivate var indented: String {
        var output = ""
        indent(into: &output, level: 0)
        return output
    }

    private func indent(into output: inout String, level: Int) {
        let inner = String(repeating: "  ", count: level + 1)
        switch self {
        case .object(let members) where !members.isEmpty && !isShort:
            output += "{\n"
            for (offset, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                output += (offset > 0 ? ",\n" : "") + inner + JSONValue.string(member.key).text + ": "
                member.value.indent(into: &output, level: level + 1)
            }
            output += "\n" + inner.dropLast(2) + "}"
        case .array(let elements) where !elements.isEmpty && !isShort:
            output += "[\n"
            for (offset, element) in elements.enumerated() {
                output += (offset > 0 ? ",\n" : "") + inner
                element.indent(into: &output, level: level + 1)
            }
            output += "\n" + inner.dropLast(2) + "]"
        case .object(let members) where !members.isEmpty:
            let parts = members.sorted { $0.key < $1.key }.map {
                "\(JSONValue.string($0.key).text): \($0.value.text)"
            }
            output += "{ " + parts.joined(separator: ", ") + " }"
        case .array(let elements) where !elements.isEmpty:
            output += "[" + elements.map(\.text).joined(separator: ", ") + "]"
        default:
            output += text
        }
    }

    /// Whether the value fits on a line: few plain values and nothing nested.
    private var isShort: Bool {
        let values: [JSONValue]
        switch self {
        case .object(let members): values = Array(members.values)
        case .array(let elements): values = elements
        default: return true
        }
        return values.count <= 8 && text.utf8.count <= 80
            && values.allSatisfy { $0.object == nil && $0.array == nil }
    }
}
