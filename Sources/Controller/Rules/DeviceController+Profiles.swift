import Flare
import Things

/// Things whose profile changes, and things that name one that nobody has.
extension DeviceController {
    /// Drops what was to be written to a thing whose profile has changed: it was meant for what the thing had.
    mutating func followKind(of id: FlareID, from old: FlareThing?) {
        defer { checkProfile(of: id) }
        guard let old, let new = state.things[id], state.kind(of: old) != state.kind(of: new) else { return }
        kindChanged(id)
    }

    /// Uses other profiles.
    mutating func use(_ catalog: ThingCatalog) {
        guard catalog != state.catalog else { return }
        let before = state.things.compactMapValues { state.kind(of: $0) }
        state.catalog = catalog
        for (id, thing) in state.things where state.kind(of: thing) != before[id] {
            kindChanged(id)
            changes.insert(.object(ObjectReference(.thing, id)))
            if id == state.nearbyID { changes.insert(.nearby) }
        }
        checkProfiles()
    }

    private mutating func kindChanged(_ id: FlareID) {
        let object = ObjectReference(.thing, id)
        lights.restingLevels[id] = nil
        let refusal = Refusal(.staleTarget, "the thing has another profile by now")
        refuse(queues.cutShort(object), refusal)
        failWaiting(for: object, refusal)
        removeTransition(of: id, stopsTimer: true)
    }

    /// Updates the alert for one thing.
    private mutating func checkProfile(of id: FlareID) {
        let missing = state.things[id].flatMap { missingProfile(of: $0) }
        if reading.missingProfiles.update(id, missing) { updateProfileAlert() }
    }

    /// Updates the alert for all things.
    mutating func checkProfiles() {
        let missing = state.things.compactMapValues { missingProfile(of: $0) }
        guard !missing.isEmpty || !reading.missingProfiles.isEmpty else { return }
        reading.missingProfiles.replace(with: missing)
        updateProfileAlert()
    }

    private func missingProfile(of thing: FlareThing) -> MissingProfile? {
        state.catalog.missingProfile(of: thing, slug: state.slugs[.thing, thing.id])
    }

    private mutating func updateProfileAlert() {
        guard !reading.missingProfiles.isEmpty else { return core.clear("profiles") }
        core.raise("profiles", .warning, reading.missingProfiles.message(in: state))
    }
}
