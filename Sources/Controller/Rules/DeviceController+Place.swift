import Flare
import JSON
import Things

/// Rule 1: the current environment with its zones and things.
extension DeviceController {
    // MARK: Environments

    mutating func environmentsLoaded(_ found: [FlareEnvironment]) {
        let (before, wereKnown) = (state.environments, reading.areEnvironmentsKnown)
        reading.areEnvironmentsKnown = true
        state.environments = found.byID
        applyDifferences(.environment, before: before, after: state.environments, isEvent: wereKnown)
        reading.elsewhere.found(state.environmentsByName.map(\.id))
        if let current = state.environmentID, let environment = state.environments[current] {
            if before[current] != environment {
                changes.insert(.environment)
                core.trackBeacons()
            }
        } else {
            select(automaticEnvironment(), cause: ChangeEvent.Cause("server"))
        }
        if found.isEmpty {
            core.raise(
                "no-environment",
                .warning,
                "The place is empty: the Flare server has no environment. "
                    + "Import one with \"trilateral import FILE\", or make one on the page at /admin."
            )
        } else {
            core.clear("no-environment")
        }
    }

    /// The environment by GPS, else the saved one, else the first by name.
    private mutating func automaticEnvironment() -> FlareID? {
        sync.locatedEnvironment = state.environmentAtLocation
        if let located = sync.locatedEnvironment { return located }
        if let saved = memory.environment, state.environments[saved] != nil { return saved }
        return state.environmentsByName.first?.id
    }

    /// Makes an environment the current one.
    mutating func select(_ id: FlareID?, cause: ChangeEvent.Cause) {
        guard id != state.environmentID else { return }
        let (before, wasStale) = (state.environmentID, state.isStale)
        if let before { leavePlace(before) }
        state.environmentID = id
        endStaleness()
        changes.formUnion([.environment, .zone, .nearby, .device, .position, .angle])
        effects.append(.trackBeacons(nil))
        // The first selection of a run is not an event: nothing has changed. What was shown before it was remembered.
        if before != nil, !wasStale {
            core.emit(
                .environment,
                "selected",
                id.map { ObjectReference(.environment, $0) },
                before: before.map { .string("\($0)") },
                after: id.map { .string("\($0)") },
                cause: cause
            )
        }
        guard let id else { return }
        if memory.environment != id {
            memory.environment = id
            effects.append(.remember(.environment(id)))
        }
        if state.isLinkUp { effects.append(.flare(.subscribe(environment: id))) }
        core.load(.loadPlace(environment: id))
        loadOrCreateDevice(in: id)
    }

    private mutating func leavePlace(_ environment: FlareID) {
        rememberPosition(leaving: environment)
        if state.isLinkUp { effects.append(.flare(.unsubscribe(environment: environment))) }
        leaveQueues()
        core.forgetFailedReads { $0.environment == environment }
        sync.dropDueReadings(in: &core)
        for id in state.zones.keys {
            changes.insert(.object(ObjectReference(.zone, id)))
            state.changedAt[ObjectReference(.zone, id)] = nil
        }
        for id in state.things.keys {
            changes.insert(.object(ObjectReference(.thing, id)))
            state.changedAt[ObjectReference(.thing, id)] = nil
        }
        if let device = state.device { state.changedAt[ObjectReference(.device, device.id)] = nil }
        for id in lights.transitions.keys.sorted() { effects.append(.stopTimer(.transitionStep(id))) }
        lights.transitions.removeAll()
        for id in edge.things { edge.leave(id) }
        state.goals.removeAll()
        state.goalSeconds.removeAll()
        lights.restingLevels.removeAll()
        reading.missingProfiles.forget(in: &core)
        reading.unknownNames.forget(in: &core)
        state.beacons.removeAll()
        state.countedBeacons.removeAll()
        state.zones.removeAll()
        state.things.removeAll()
        state.zoneID = nil
        state.zoneSince = nil
        state.nearbyID = nil
        state.nearbySince = nil
        state.device = nil
        (state.fix, state.seenAt) = (nil, nil)
        sync.forgetUnconfirmedPositions()
        state.isPlaceKnown = false
        presence.leavePlace(in: &core)
    }

    // MARK: Zones and things

    /// Handles the zones and things of the current environment, or of the one a command has chosen.
    mutating func placeRead(_ environment: FlareID, zones: [FlareZone], things: [FlareThing]) {
        let choice = pending.removeChoice { $0 == environment }
        if let choice { select(environment, cause: choice.cause) }
        placeLoaded(environment, zones: zones, things: things)
        if let choice { accept(choice.pending) }
        let contents = PlaceContents(environment: environment, zones: zones, things: things)
        for refresh in pending.placeRead(environment) { ended(refresh, contents) }
    }

    private mutating func placeLoaded(_ environment: FlareID, zones: [FlareZone], things: [FlareThing]) {
        guard environment == state.environmentID else {
            let privateNames = pending.privateNames(core)
            reading.name(zones, things, of: environment, in: &core, privateNames: privateNames)
            return reading.unknownNames.objectsChanged()
        }
        // What an earlier run knew is part of the start.
        let (oldZones, oldThings, wasKnown) = (
            state.zones, state.things, state.isPlaceKnown && !state.isStale
        )
        state.zones = zones.byID
        state.things = things.byID
        // Only these have anything that a new profile makes wrong.
        for id in Set(lights.transitions.keys).union(lights.restingLevels.keys).union(
            (queues.objects + edge.queues.objects).map(\.id)
        ) {
            followKind(of: id, from: oldThings[id])
        }
        reading.missingProfiles.checkAll(in: &core)
        keepTransitionValues(oldThings)
        for (id, thing) in state.things {
            if let old = oldThings[id] { recordLevel(from: old, to: thing) }
        }
        state.isPlaceKnown = true
        endStaleness()
        applyDifferences(.zone, before: oldZones, after: state.zones, isEvent: wasKnown)
        applyDifferences(.thing, before: oldThings, after: state.things, isEvent: wasKnown)
        core.leaveRemovedObjects(isEvent: wasKnown)
        if wasKnown { presence.update(in: &core, cause: ChangeEvent.Cause("server")) }
        if !wasKnown || oldZones != state.zones || oldThings != state.things { core.trackBeacons() }
        storeUnstored()
    }

    /// Handles the creation, change or removal (`nil`) of one thing in the current environment.
    mutating func thingChanged(_ id: FlareID, _ thing: FlareThing?) {
        guard state.isPlaceKnown else { return }
        let old = state.things[id]
        state.things[id] = thing
        let before = old.map { [id: $0] } ?? [:]
        followKind(of: id, from: old)
        if thing != nil { keepTransitionValues(before, of: [id]) }
        let new = state.things[id]
        guard old != new else { return }
        if let old, let new { recordLevel(from: old, to: new) }
        applyDifferences(.thing, before: before, after: new.map { [id: $0] } ?? [:], isEvent: true)
        core.leaveRemovedObjects(isEvent: true)
        presence.update(in: &core, cause: ChangeEvent.Cause("server"))
        if [old, new].contains(where: { $0?.hasBeacon == true }) { core.trackBeacons() }
    }

    /// Records the last visible brightness, unless the light was faded out.
    ///
    /// The server still has the low brightness at the end of the fade, not the level to restore.
    private mutating func recordLevel(from old: FlareThing, to new: FlareThing) {
        guard old.data != new.data else { return }
        let isOff = [old, new].allSatisfy { !state.shape(of: $0).light(of: $0.data).isOn }
        if !isOff || lights.restingLevels[new.id] == nil {
            recordLevel(of: new.id, before: old.data, after: new.data)
        }
    }

    /// Assigns slugs to new objects and marks differences; publishes them unless this is the first reading.
    mutating func applyDifferences<Object: PlaceObject>(
        _ kind: FlareClass,
        before: [FlareID: Object],
        after: [FlareID: Object],
        isEvent: Bool
    ) {
        let cause = ChangeEvent.Cause("server")
        let home = kind == .environment ? nil : state.environmentID
        let privateNames = pending.privateNames(core)
        if before.keys != after.keys { reading.unknownNames.objectsChanged() }
        var gone: Set<FlareID>?
        for (id, object) in after.sorted(by: { $0.key < $1.key }) {
            let reference = ObjectReference(kind, id)
            let isNamed = state.slugs[kind, id] != nil
            // Do not reuse the slugs of objects that this reading removes: their events still need them.
            if !isNamed, gone == nil {
                gone = Set(
                    state.slugs.objects(of: kind).filter {
                        before[$0.id] == nil && reading.isGone($0, in: state)
                    }.map(\.id)
                )
            }
            let slug = state.slugs.assign(
                to: reference,
                name: object.name,
                home: home,
                isPrivate: !isNamed && privateNames[kind]?.contains(object.name) ?? false,
                gone: gone ?? []
            )
            if let slug { effects.append(.remember(.slug(slug, reference, home: home))) }
            let old = before[id]
            guard old != object else { continue }
            core.markChanged(reference)
            guard isEvent else { continue }
            guard let old else {
                core.emit(kind.topic, "added", reference, cause: cause)
                continue
            }
            core.emit(ObjectDifference(kind, from: old.json, to: object.json), of: reference, cause: cause)
        }
        for id in before.keys.filter({ after[$0] == nil }).sorted() {
            let reference = ObjectReference(kind, id)
            if kind == .thing {
                state.beacons[id] = nil
                removeTransition(of: id, stopsTimer: true)
                leaveEdge(id)
            }
            core.markChanged(reference)
            state.changedAt[reference] = nil
            failWaiting(
                for: reference,
                Refusal(.unknownThing, "the \(kind.rawValue) was removed before this could be done")
            )
            if isEvent {
                core.emit(kind.topic, "removed", reference, name: before[id]?.name, cause: cause)
            }
        }
    }

    // MARK: Removed objects

    /// Releases the slugs of removed objects once the broker has confirmed that their topics are empty.
    mutating func forgetSlugs(_ names: [ObjectName]) {
        for name in names {
            guard let id = state.slugs.id(of: name.slug, kind: name.kind) else { continue }
            let object = ObjectReference(name.kind, id)
            guard reading.isGone(object, in: state) else { continue }
            state.slugs.forget(object)
            effects.append(.remember(.slugForgotten(object)))
        }
    }
}
