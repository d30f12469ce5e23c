import Flare
import Things

/// The things that name a profile that nobody has, and the text of their alert.
struct MissingProfiles: Sendable {
    /// Most things that the alert names.
    private static let limit = 3

    private var names: [FlareID: String] = [:]
    /// The names that were probably meant; only of the things in the alert, because the search is expensive.
    private var hints: [String: String] = [:]

    var isEmpty: Bool { names.isEmpty }

    /// Records what a thing names; `nil` for a profile that there is and for none.
    /// - Returns: Whether the alert may have changed.
    mutating func update(_ id: FlareID, _ name: String?) -> Bool {
        guard name != nil || names[id] != nil else { return false }
        names[id] = name
        return true
    }

    /// Records what all things name.
    mutating func replace(with names: [FlareID: String]) { self.names = names }

    /// What is wrong and what to do; there may be a thousand such things.
    mutating func message(in state: ControllerState) -> String {
        var first: [FlareID] = []
        while first.count < Self.limit,
            let next = names.keys.lazy.filter({ id in first.last.map { $0 < id } ?? true }).min()
        {
            first.append(next)
        }
        let shown = first.compactMap { id in names[id].map { (id: id, name: $0) } }
        let kept = hints
        hints = [:]
        let parts = shown.map { id, name in
            let hint = kept[name] ?? NearestName.hint(for: name, among: state.catalog.names)
            hints[name] = hint
            let thing = state.things[id].map(\.name) ?? ""
            let label = thing.isEmpty ? state.slugs[.thing, id] ?? "\(id)" : thing
            return "\(QuotedValue.of(label)) names \(QuotedValue.of(name))\(hint)"
        }
        let more = names.count - shown.count
        let text =
            "No profile has the name that a thing gives in data.profile: \(parts.joined(separator: "; "))"
            + (more > 0 ? "; and \(more) more" : "")
        return text + (text.hasSuffix("?") ? "" : ".") + " See the names with: trilateral profile show"
    }
}
