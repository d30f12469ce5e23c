import Flare
import Things

/// Things whose profile changes, and things that name one that nobody has.
extension DeviceController {
    /// Drops what was to be written to a thing whose profile has changed: it was meant for what the thing had.
    mutating func followKind(of id: FlareID, from old: FlareThing?) {
        let object = ObjectReference(.thing, id)
        defer { checkProfile(of: id) }
        guard let old, let new = state.things[id], state.kind(of: old) != state.kind(of: new) else { return }
        restingLevels[id] = nil
        let refusal = Refusal(.staleTarget, "the thing has another profile by now")
        refuse(queues.cutShort(object), refusal)
        failWaiting(for: object, refusal)
        guard transitions.removeValue(forKey: id) != nil else { return }
        effects.append(.stopTimer(.transitionStep(id)))
        forgetGoal(of: id)
        markChanged(object)
    }

    /// Updates the alert for one thing.
    private mutating func checkProfile(of id: FlareID) {
        let missing = state.things[id].flatMap { state.catalog.missingProfile(of: $0) }
        guard missing != nil || missingProfiles[id] != nil else { return }
        missingProfiles[id] = missing
        updateProfileAlert()
    }

    /// Updates the alert for all things.
    mutating func checkProfiles() {
        let missing = state.things.compactMapValues { state.catalog.missingProfile(of: $0) }
        guard !missing.isEmpty || !missingProfiles.isEmpty else { return }
        missingProfiles = missing
        updateProfileAlert()
    }

    /// Names the first three things; there may be a thousand of them.
    private mutating func updateProfileAlert() {
        guard !missingProfiles.isEmpty else { return clear("profiles") }
        let first = missingProfiles.sorted { $0.key < $1.key }.prefix(3)
        let names = state.catalog.names
        let parts = first.map { id, profile in
            let thing = state.things[id].map(\.name) ?? ""
            let label = QuotedValue.of(thing.isEmpty ? state.slugs[.thing, id] ?? "\(id)" : thing)
            return "\(label) names \(QuotedValue.of(profile))\(NearestName.hint(for: profile, among: names))"
        }
        let more = missingProfiles.count - first.count
        raise(
            "profiles",
            .warning,
            "No profile has the name that a thing gives in data.profile: \(parts.joined(separator: "; "))"
                + (more > 0 ? "; and \(more) more" : "")
                + ". See the names with: trilateral profile show"
        )
    }
}
