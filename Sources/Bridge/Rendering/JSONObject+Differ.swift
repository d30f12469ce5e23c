import JSON

extension JSONObject {
    /// Whether two objects, of which one may not be there, are unlike each other in more than these members.
    static func differ(_ old: JSONObject?, _ new: JSONObject?, without names: [String]) -> Bool {
        guard let old, let new else { return (old == nil) != (new == nil) }
        func counts(_ difference: JSONObject) -> Bool { difference.contains { !names.contains($0.key) } }
        return counts(new.members(unlike: old)) || counts(old.members(unlike: new))
    }
}
