import Flare
import JSON

/// The published members that differ between two versions of an object; of `data`, only the keys that differ.
struct ObjectDifference {
    private(set) var before: JSONObject
    private(set) var after: JSONObject

    init(before: JSONObject, after: JSONObject) { (self.before, self.after) = (before, after) }

    /// - Parameters: Both versions in the server's form.
    init(_ kind: FlareClass, from old: JSONValue, to new: JSONValue) {
        let hidden = Self.hidden(of: kind)
        let (old, new) = (old.object ?? [:], new.object ?? [:])
        before = old.members(unlike: new).filter { !hidden.contains($0.key) }
        after = new.members(unlike: old).filter { !hidden.contains($0.key) }
        guard let old = before["data"]?.object, let new = after["data"]?.object else { return }
        before["data"] = .object(old.members(unlike: new))
        after["data"] = .object(new.members(unlike: old))
    }

    /// What does not change, or has events of its own.
    private static func hidden(of kind: FlareClass) -> [String] {
        switch kind {
        case .environment: []
        case .zone: ["environment"]
        case .thing: ["environment", "created"]
        case .device: ["environment", "zone", "nearest"]
        }
    }

    var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// The names of what differs.
    var changed: [String] {
        // Nearly always the same members are on both sides.
        let keys = before.keys
        return keys == after.keys ? keys : before.merging(after) { $1 }.keys
    }

    /// Takes a member out.
    mutating func remove(_ name: String) -> (before: JSONValue?, after: JSONValue?) {
        (before.removeValue(forKey: name), after.removeValue(forKey: name))
    }
}
