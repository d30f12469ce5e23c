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
            sight[nil].isRead = true
            return []
        case .node(let node, let event):
            if case .flare(.replied(.loadPresence, .success)) = event { sight[node].isRead = true }
            return lookAtPresence(of: node, in: core, at: now)
        case .nodesListed: return lookAtDevices(in: core, at: now)
        default: return []
        }
    }

    /// Looks at which further devices are listed.
    mutating func lookAtDevices(in core: ControllerState, at now: Instant) -> [SliceEffect] {
        sight.keepPresences(of: Set(core.nodes.keys))
        let named = rules.values.reduce(into: Set<String>()) { $0.formUnion($1.entry.rule.nodes) }
        let events = named.sorted().map { core.nodes[$0] == nil ? RuleEvent.deviceGone($0) : .deviceBack($0) }
        return handleAll(events, in: core, at: now)
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
            sight.isPlaceSeen = false
            sight.forgetPresences()
        }
        if !core.isPlaceReady {
            sight.isPlaceSeen = false
        } else if !sight.isPlaceSeen {
            sight.isPlaceSeen = true
            for id in sight.objects.keys.sorted() { effects += look(at: id, in: core, at: now) }
        } else {
            for id in objects(of: changes) { effects += look(at: id, in: core, at: now) }
        }
        effects += lookAtPresence(of: nil, in: core, at: now)
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

    /// Looks at where a device is, by its node; `nil` is the daemon's own.
    private mutating func lookAtPresence(
        of node: String?,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        let old = sight[node]
        guard core.isPlaceReady, let (zone, nearby) = core.presence(of: node) else {
            if old.isKnown { sight[node].isKnown = false }
            return []
        }
        guard old.isKnown else {
            guard old.isRead || zone != nil || nearby != nil else { return [] }
            sight[node] = RuleSight.Presence(known: true, zone, nearby)
            return handle(.presenceKnown(of: node), in: core, at: now)
        }
        guard old.zone != zone || old.nearby != nearby else { return [] }
        sight[node] = RuleSight.Presence(known: true, zone, nearby)
        var events: [RuleEvent] = []
        if old.zone != zone {
            if let zone = old.zone { events.append(.zoneExited(zone, by: node)) }
            if let zone { events.append(.zoneEntered(zone, by: node)) }
        }
        if old.nearby != nearby {
            if let thing = old.nearby { events.append(.far(thing, by: node)) }
            if let nearby { events.append(.near(nearby, by: node)) }
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

extension ControllerState {
    /// The zone and the nearby thing of a device, by its node; `nil` is the daemon's own.
    ///
    /// - Returns: `nil` while the device is not there.
    fileprivate func presence(of node: String?) -> (zone: FlareID?, nearby: FlareID?)? {
        guard let node else { return device.map { _ in (zoneID, nearbyID) } }
        guard let other = nodes[node], other.device != nil else { return nil }
        return (other.zoneID, other.nearbyID)
    }
}
