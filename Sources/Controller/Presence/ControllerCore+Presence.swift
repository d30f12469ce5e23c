import Flare

/// The current zone and the nearby thing, and their events.
extension ControllerCore {
    mutating func enterZone(_ zone: FlareID, cause: ChangeEvent.Cause) {
        guard zone != state.zoneID else { return }
        leaveZone(cause: cause)
        setZone(zone)
        emit(.zone, "enter", ObjectReference(.zone, zone), cause: cause)
    }

    mutating func leaveZone(cause: ChangeEvent.Cause) {
        guard let zone = state.zoneID else { return }
        setZone(nil)
        emit(.zone, "exit", ObjectReference(.zone, zone), cause: cause)
    }

    mutating func becomeNear(_ thing: FlareID, cause: ChangeEvent.Cause) {
        guard thing != state.nearbyID else { return }
        leaveNearby(cause: cause)
        setNearby(thing)
        emit(.nearby, "near", ObjectReference(.thing, thing), cause: cause)
    }

    mutating func leaveNearby(cause: ChangeEvent.Cause) {
        guard let thing = state.nearbyID else { return }
        setNearby(nil)
        emit(.nearby, "far", ObjectReference(.thing, thing), cause: cause)
    }

    /// Leaves the zone and the nearby thing if they no longer exist.
    mutating func leaveRemovedObjects(isEvent: Bool) {
        let cause = ChangeEvent.Cause("server")
        if let zone = state.zoneID, state.zones[zone] == nil {
            if isEvent { leaveZone(cause: cause) } else { setZone(nil) }
        }
        if let thing = state.nearbyID, state.things[thing] == nil {
            if isEvent { leaveNearby(cause: cause) } else { setNearby(nil) }
        }
    }

    /// Without an event.
    mutating func setZone(_ zone: FlareID?) {
        if let zone { readPlace(unless: state.zones[zone] != nil) }
        state.zoneID = zone
        state.zoneSince = zone == nil ? nil : now
        changes.formUnion([.zone, .device])
    }

    /// Without an event.
    mutating func setNearby(_ thing: FlareID?) {
        if let thing { readPlace(unless: state.things[thing] != nil) }
        state.nearbyID = thing
        state.nearbySince = thing == nil ? nil : now
        changes.insert(.nearby)
    }

    /// Reads zones and things again after a reference to an unknown object.
    ///
    /// Not every server sends a notice when an object is created.
    private mutating func readPlace(unless isKnown: Bool) {
        guard !isKnown, state.isPlaceKnown, let environment = state.environmentID else { return }
        load(.loadPlace(environment: environment))
    }
}
