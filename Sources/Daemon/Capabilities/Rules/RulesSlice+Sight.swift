import Controller
import Flare
import JSON
import Rules

/// What happens in the node, as the engine gets to know it.
extension RulesSlice {
    // MARK: Events

    /// Looks at what no change of the state shows.
    mutating func look(
        at event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        switch event {
        case .located(let location):
            guard core.isRunning(.gps), location.point.isValid else { return [] }
            let accuracy = location.accuracyMetres ?? 0
            return handle(.located(location.point, accuracy: accuracy), in: core, at: now)
        case .flare(.replied(.loadPresence, .success)):
            sight.isPresenceRead = true
            return []
        default: return []
        }
    }

    /// A thing at the edge has uploaded a state.
    mutating func look(
        at upload: StateUploaded,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        let thing = upload.thing
        let chain = chain(to: thing, in: core, at: now)
        sight.things[thing]?.uploaded.merge(upload.written) { $1 }
        let write = RuleWrite(
            thing,
            before: upload.before,
            after: upload.after,
            fields: upload.written.keys,
            chain: chain
        )
        return handle(.written(write), in: core, at: now)
            + lookAtAddress(of: thing, upload.before, upload.after, in: core, at: now)
            + lookAtSender(of: upload, in: core, at: now)
    }

    private mutating func lookAtSender(
        of upload: StateUploaded,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let address = upload.address, sight.things[upload.thing]?.address != address else { return [] }
        sight.things[upload.thing]?.address = address
        // What the thing itself says counts more.
        guard upload.after["ip"]?.string == nil else { return [] }
        return handle(.address(upload.thing, address), in: core, at: now)
    }

    // MARK: Changes

    /// Looks at what has changed in the state.
    mutating func look(
        at changes: Set<StateChange>,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        var effects: [SliceEffect] = []
        if core.environmentID != sight.environment {
            sight.environment = core.environmentID
            (sight.isPlaceSeen, sight.isPresenceRead, sight.isPresenceKnown) = (false, false, false)
        }
        if !core.isPlaceReady {
            sight.isPlaceSeen = false
        } else if !sight.isPlaceSeen {
            sight.isPlaceSeen = true
            for id in sight.objects.keys.sorted() { effects += look(at: id, in: core, at: now) }
        } else {
            for id in objects(of: changes) { effects += look(at: id, in: core, at: now) }
        }
        effects += lookAtPresence(in: core, at: now)
        if !sight.isLevelKnown || changes.contains(.lifecycle) {
            effects += look(at: core.lifecycle, in: core, at: now)
        }
        let hearsBeacons = core.isRunning(.beacons)
        if hearsBeacons != sight.hearsBeacons {
            sight.hearsBeacons = hearsBeacons
            effects += handle(.beaconSensor(isOn: hearsBeacons), in: core, at: now)
        }
        return effects
    }

    /// The changed things and zones that rules name, sorted.
    private func objects(of changes: Set<StateChange>) -> [FlareID] {
        var found: [FlareID] = []
        for case .object(let object) in changes where sight.objects[object.id] != nil {
            found.append(object.id)
        }
        return found.count > 1 ? found.sorted() : found
    }

    /// Looks at a thing or a zone.
    private mutating func look(
        at id: FlareID,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        let before = sight.objects[id]
        guard core.has(id) else {
            sight.objects[id] = .no
            if sight.things[id] != nil { sight.things[id] = RuleSight.Thing() }
            return before == .no ? [] : handle(.gone(id), in: core, at: now)
        }
        sight.objects[id] = .yes
        guard before == .yes else {
            if let known = sight.things[id] {
                var thing = RuleSight.Thing(id, in: core)
                thing.address = known.address
                sight.things[id] = thing
            }
            return handle(before == .no ? .back(id) : .appeared(id), in: core, at: now)
        }
        return lookAtData(of: id, in: core, at: now) + lookAtConnection(of: id, in: core, at: now)
    }

    private mutating func lookAtData(
        of thing: FlareID,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let known = sight.things[thing], let data = core.things[thing]?.data else { return [] }
        if let old = known.data, old.isCopy(of: data) { return [] }
        sight.things[thing]?.data = data
        // Only what such a thing uploads is a write: see ``uploaded(_:in:at:)``.
        guard core.routes[thing] == nil else {
            if !known.uploaded.isEmpty {
                sight.things[thing]?.uploaded = known.uploaded.filter { data[$0.key] != $0.value }
            }
            return []
        }
        if !known.uploaded.isEmpty { sight.things[thing]?.uploaded = [:] }
        guard let old = known.data else { return handle(.appeared(thing), in: core, at: now) }
        let fields = data.members(unlike: old).keys + old.keys.filter { data[$0] == nil }
        guard !fields.isEmpty else { return [] }
        let write = RuleWrite(
            thing,
            before: old,
            after: data,
            fields: fields,
            chain: chain(to: thing, in: core, at: now)
        )
        return handle(.written(write), in: core, at: now)
            + lookAtAddress(of: thing, old, data, in: core, at: now)
    }

    private mutating func lookAtAddress(
        of thing: FlareID,
        _ old: JSONObject,
        _ new: JSONObject,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let address = new["ip"]?.string, old["ip"]?.string != address else { return [] }
        return handle(.address(thing, address), in: core, at: now)
    }

    private mutating func lookAtConnection(
        of thing: FlareID,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard let known = sight.things[thing], let isOnline = core.conditions[thing]?.isOnline,
            known.isOnline != isOnline
        else { return [] }
        sight.things[thing]?.isOnline = isOnline
        return handle(.availability(thing, isOnline: isOnline), in: core, at: now)
    }

    private mutating func chain(to thing: FlareID, in core: ControllerState, at now: Instant) -> [Int] {
        chains.chain(to: thing, isMoving: core.goals[thing] != nil, at: now.steadyMilliseconds)
    }

    // MARK: Places and levels

    private mutating func lookAtPresence(in core: ControllerState, at now: Instant) -> [SliceEffect] {
        guard core.isPlaceReady, core.device != nil else {
            sight.isPresenceKnown = false
            return []
        }
        let (zone, nearby) = (sight.zone, sight.nearby)
        guard sight.isPresenceKnown else {
            guard sight.isPresenceRead || core.zoneID != nil || core.nearbyID != nil else { return [] }
            (sight.isPresenceKnown, sight.isPresenceRead) = (true, true)
            (sight.zone, sight.nearby) = (core.zoneID, core.nearbyID)
            return handle(.presenceKnown, in: core, at: now)
        }
        guard zone != core.zoneID || nearby != core.nearbyID else { return [] }
        (sight.zone, sight.nearby) = (core.zoneID, core.nearbyID)
        var events: [RuleEvent] = []
        if zone != core.zoneID {
            if let zone { events.append(.zoneExited(zone)) }
            if let zone = core.zoneID { events.append(.zoneEntered(zone)) }
        }
        if nearby != core.nearbyID {
            if let nearby { events.append(.far(nearby)) }
            if let nearby = core.nearbyID { events.append(.near(nearby)) }
        }
        return handleAll(events, in: core, at: now)
    }

    private mutating func look(
        at lifecycle: Lifecycle,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        guard sight.isLevelKnown else {
            guard lifecycle.isPlaceLoaded else { return [] }
            sight.isLevelKnown = true
            sight.see(lifecycle)
            return handle(.levelReached(lifecycle.level), in: core, at: now)
        }
        let old = sight
        sight.see(lifecycle)
        var events = LifecycleCall.calls(from: old.level, to: lifecycle.level).map { RuleEvent.called($0) }
        if old.audio != lifecycle.audio { events.append(.called(LifecycleCall(lifecycle.audio))) }
        if old.context != lifecycle.context { events.append(.called(LifecycleCall(lifecycle.context))) }
        if old.language != sight.language {
            events.append(.called(.shouldUpdateLifecycleConfigurationToLanguage))
        }
        if old.level != lifecycle.level { events.append(.levelReached(lifecycle.level)) }
        return handleAll(events, in: core, at: now)
    }

    private mutating func handleAll(
        _ events: [RuleEvent],
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        var effects: [SliceEffect] = []
        for event in events { effects += handle(event, in: core, at: now) }
        return effects
    }
}
