import Flare
import Text
import Things

/// The things that name a profile that nobody has, or that several types share, and the text of their alert.
struct MissingProfiles: Sendable {
    /// Most things that the alert names.
    private static let limit = 3

    private var names: [FlareID: MissingProfile] = [:]
    /// The names that were probably meant; only of the things in the alert, because the search is expensive.
    private var hints: [String: String] = [:]

    /// Looks at one thing, and updates the alert.
    mutating func check(_ id: FlareID, in core: inout ControllerCore) {
        let missing = core.state.things[id].flatMap { core.state.missingProfile(of: $0) }
        guard missing != nil || names[id] != nil else { return }
        names[id] = missing
        updateAlert(in: &core)
    }

    /// Looks at all things, and updates the alert.
    mutating func checkAll(in core: inout ControllerCore) {
        let state = core.state
        let missing = state.things.compactMapValues { state.missingProfile(of: $0) }
        guard !missing.isEmpty || !names.isEmpty else { return }
        names = missing
        updateAlert(in: &core)
    }

    /// Forgets what belongs to a place that is left.
    mutating func forget(in core: inout ControllerCore) {
        names = [:]
        updateAlert(in: &core)
    }

    private mutating func updateAlert(in core: inout ControllerCore) {
        guard !names.isEmpty else { return core.clear("profiles") }
        core.raise("profiles", .warning, message(in: core.state))
    }

    /// What is wrong and what to do; there may be a thousand such things.
    private mutating func message(in state: ControllerState) -> String {
        var first: [FlareID] = []
        while first.count < Self.limit,
            let next = names.keys.lazy.filter({ id in first.last.map { $0 < id } ?? true }).min()
        {
            first.append(next)
        }
        let shown = first.compactMap { id in names[id].map { (id: id, missing: $0) } }
        let kept = hints
        hints = [:]
        let parts = shown.map { id, missing in
            let thing = state.things[id].map(\.name) ?? ""
            let label = QuotedValue.of(thing.isEmpty ? state.slugs[.thing, id] ?? "\(id)" : thing)
            guard missing.models.isEmpty else {
                return "\(label) names \(QuotedValue.of(missing.name)) in data.\(missing.key), which "
                    + "\(missing.models.count) types share: give it data.model, one of "
                    + QuotedValue.list(missing.models)
            }
            let hint = kept[missing.name] ?? NearestName.hint(for: missing.name, among: state.catalog.names)
            hints[missing.name] = hint
            return "\(label) names \(QuotedValue.of(missing.name))\(hint)"
        }
        let more = names.count - shown.count
        let text =
            "No profile, or more than one, has the name that a thing gives: \(parts.joined(separator: "; "))"
            + (more > 0 ? "; and \(more) more" : "")
        return text + (text.hasSuffix("?") ? "" : ".") + " See the names with: trilateral profile show"
    }
}

extension ControllerState {
    fileprivate func missingProfile(of thing: FlareThing) -> MissingProfile? {
        catalog.missingProfile(of: thing, slug: slugs[.thing, thing.id])
    }
}
