import Flare

/// Rule 3: the zone we are in and the thing we are near, as the server tells or as we see it.
extension DeviceController {
    /// How long after an enter an exit is not believed, milliseconds.
    /// - Source: the origin's apps, which met exits of the old zone after enters of the new one.
    private static var exitGrace: Int64 { 500 }

    mutating func presenceLoaded(zone: FlareID?, nearest: FlareID?) {
        guard isPresenceKnown else {
            // The first reading is what was true before we came: no event.
            isPresenceKnown = true
            let (zone, nearest) = seenAtFirst() ?? (zone, nearest)
            if zone != state.zoneID { setZone(zone) }
            if nearest != state.nearbyID, nearest != nil || !configuration.stayPaired { setNearby(nearest) }
            return
        }
        let cause = ChangeEvent.Cause("server")
        guard configuration.presence == .server else { return lookAround(cause: cause) }
        if let zone { enterZone(zone, cause: cause) } else { leaveZone(cause: cause) }
        if let nearest {
            comeNear(nearest, cause: cause)
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
            enteredAt = now
        case .exit(let zone, let device) where device == state.device?.id && zone == state.zoneID:
            if let enteredAt, now.milliseconds(since: enteredAt) < Self.exitGrace {
                let rest = Self.exitGrace - now.milliseconds(since: enteredAt)
                effects.append(.startTimer(.exitCheck, milliseconds: rest))
                exitPending = zone
            } else {
                leaveZone(cause: cause)
            }
        case .near(let thing, let device, _) where device == state.device?.id:
            comeNear(thing, cause: cause)
        case .far(let thing, let device) where device == state.device?.id && thing == state.nearbyID:
            if !configuration.stayPaired { leaveNearby(cause: cause) }
        default:
            break
        }
    }

    /// The grace is over: an exit that nothing has overtaken holds.
    mutating func lookAtExitAgain() {
        guard let zone = exitPending else { return }
        exitPending = nil
        if zone == state.zoneID { leaveZone(cause: ChangeEvent.Cause("server")) }
    }

    mutating func enterZone(_ zone: FlareID, cause: ChangeEvent.Cause) {
        exitPending = nil
        guard zone != state.zoneID else { return }
        leaveZone(cause: cause)
        setZone(zone)
        tell(.zone, "enter", ObjectReference(.zone, zone), cause: cause)
    }

    mutating func leaveZone(cause: ChangeEvent.Cause) {
        guard let zone = state.zoneID else { return }
        setZone(nil)
        tell(.zone, "exit", ObjectReference(.zone, zone), cause: cause)
    }

    mutating func comeNear(_ thing: FlareID, cause: ChangeEvent.Cause) {
        guard thing != state.nearbyID else { return }
        leaveNearby(cause: cause)
        setNearby(thing)
        tell(.nearby, "near", ObjectReference(.thing, thing), cause: cause)
    }

    mutating func leaveNearby(cause: ChangeEvent.Cause) {
        guard let thing = state.nearbyID else { return }
        setNearby(nil)
        tell(.nearby, "far", ObjectReference(.thing, thing), cause: cause)
    }

    /// The place was read: what it does not hold any more is neither around us nor near.
    mutating func leaveWhatIsGone(isEvent: Bool) {
        let cause = ChangeEvent.Cause("server")
        if let zone = state.zoneID, state.zones[zone] == nil {
            if isEvent { leaveZone(cause: cause) } else { setZone(nil) }
        }
        if let thing = state.nearbyID, state.things[thing] == nil {
            if isEvent { leaveNearby(cause: cause) } else { setNearby(nil) }
        }
    }

    /// Something that we do not know was made after the place was read, and not every server tells that.
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
