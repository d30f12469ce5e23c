import Flare

/// Rule 3: the current zone and the nearby thing, decided by the server or by the controller.
extension DeviceController {
    mutating func presenceLoaded(zone: FlareID?, nearest: FlareID?) {
        guard presence.isKnown else {
            // The first reading is the initial state, not an event.
            presence.isKnown = true
            let (zone, nearest) = initialPresence() ?? (zone, nearest)
            if zone != state.zoneID { setZone(zone) }
            if nearest != state.nearbyID, nearest != nil || !configuration.stayPaired { setNearby(nearest) }
            return
        }
        let cause = ChangeEvent.Cause("server")
        guard configuration.presence == .server else { return updatePresence(cause: cause) }
        if let zone { enterZone(zone, cause: cause) } else { leaveZone(cause: cause) }
        if let nearest {
            becomeNear(nearest, cause: cause)
        } else if !configuration.stayPaired {
            leaveNearby(cause: cause)
        }
    }

    mutating func presenceNoticed(_ notice: FlareNotice) {
        guard configuration.presence == .server else { return }
        let cause = ChangeEvent.Cause("server")
        switch notice {
        case .enter(let zone, let device) where device == state.device?.id:
            enterZone(zone, cause: cause)
            presence.entered(at: now)
        case .exit(let zone, let device) where device == state.device?.id && zone == state.zoneID:
            switch presence.exited(zone, at: now) {
            case .leave: leaveZone(cause: cause)
            case .confirm(let milliseconds):
                effects.append(.startTimer(.exitCheck, milliseconds: milliseconds))
            }
        case .near(let thing, let device, _) where device == state.device?.id:
            becomeNear(thing, cause: cause)
        case .far(let thing, let device) where device == state.device?.id && thing == state.nearbyID:
            if !configuration.stayPaired { leaveNearby(cause: cause) }
        default:
            break
        }
    }

    /// Leaves the zone after the grace period, unless a newer notice has cancelled the exit.
    mutating func confirmExit() {
        guard let zone = presence.removePendingExit() else { return }
        if zone == state.zoneID { leaveZone(cause: ChangeEvent.Cause("server")) }
    }

    mutating func enterZone(_ zone: FlareID, cause: ChangeEvent.Cause) {
        _ = presence.removePendingExit()
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

    /// Reads zones and things again after a reference to an unknown object.
    ///
    /// Not every server sends a notice when an object is created.
    private mutating func readPlace(unless isKnown: Bool) {
        guard !isKnown, state.isPlaceKnown, let environment = state.environmentID else { return }
        load(.loadPlace(environment: environment))
    }

    private mutating func setZone(_ zone: FlareID?) {
        if let zone { readPlace(unless: state.zones[zone] != nil) }
        state.zoneID = zone
        state.zoneSince = zone == nil ? nil : now
        changes.formUnion([.zone, .device])
    }

    private mutating func setNearby(_ thing: FlareID?) {
        if let thing { readPlace(unless: state.things[thing] != nil) }
        state.nearbyID = thing
        state.nearbySince = thing == nil ? nil : now
        changes.insert(.nearby)
    }
}
