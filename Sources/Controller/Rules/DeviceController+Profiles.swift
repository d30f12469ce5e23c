import Flare
import Things

/// Things whose profile changes, and things that name one that nobody has.
extension DeviceController {
    /// Drops what was to be written to a thing whose profile has changed: it was meant for what the thing had.
    mutating func followKind(of id: FlareID, from old: FlareThing?) {
        defer { reading.missingProfiles.check(id, in: &core) }
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
        reading.missingProfiles.checkAll(in: &core)
    }

    private mutating func kindChanged(_ id: FlareID) {
        let object = ObjectReference(.thing, id)
        lights.restingLevels[id] = nil
        let refusal = Refusal(.staleTarget, "the thing has another profile by now")
        refuse(queues.cutShort(object), refusal)
        failWaiting(for: object, refusal)
        removeTransition(of: id, stopsTimer: true)
    }
}
