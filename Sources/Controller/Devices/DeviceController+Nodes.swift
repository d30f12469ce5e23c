import Flare
import JSON
import Things

/// The further devices of a daemon: the rules run for each of them with its own values in the place of the daemon's own.
/// - Source: contrib/design/0112-several-devices.md.
extension DeviceController {
    // MARK: One node

    /// Runs rules for a further node; what they cause is marked with it, except what is of the place.
    mutating func act(as node: String, _ rules: (inout DeviceController) -> Void) {
        guard seat == nil, var own = state.nodes.removeValue(forKey: node),
            var work = nodeWork.removeValue(forKey: node)
        else { return }
        let (nearby, sequence, earlier) = (own.nearbyID, own.sequence, effects)
        let before = Occupant(zone: own.zoneID, name: own.device?.name)
        effects = []
        exchange(&own, &work)
        seat = own.listed
        rules(&self)
        seat = nil
        exchange(&own, &work)
        let caused = effects
        effects = earlier
        own.sequence = append(caused, of: node, after: sequence)
        passOnPlaceChanges(of: &work)
        for id in work.memory.devices.values where owners[id] != node { owners[id] = node }
        if !work.changes.isDisjoint(with: Self.listedChanges) { changes.insert(.devices) }
        occupancyChanged(from: before, to: Occupant(zone: own.zoneID, name: own.device?.name))
        nodesAt.move(node, .zone, from: before.zone, to: own.zoneID)
        nodesAt.move(node, .thing, from: nearby, to: own.nearbyID)
        if !work.changes.isEmpty { changedNodeNames.insert(node) }
        (state.nodes[node], nodeWork[node]) = (own, work)
        for (answer, owner) in answersElsewhere { sliceWork.append(answer, to: owner) }
        answersElsewhere = []
    }

    private mutating func exchange(_ own: inout DeviceNode, _ work: inout DeviceNodeWork) {
        state.exchange(with: &own)
        swap(&memory.devices, &work.memory.devices)
        swap(&memory.sensors, &work.memory.sensors)
        swap(&memory.positions, &work.memory.positions)
        swap(&reading.rememberedDevice, &work.rememberedDevice)
        swap(&presence, &work.presence)
        swap(&sync, &work.sync)
        swap(&sliceWork, &work.sliceWork)
        swap(&core.changes, &work.changes)
        swap(&links.isStartPublished, &work.isStartPublished)
        core.loads.exchangeFailures(with: &work.failures)
    }

    /// Appends what a node's rules have caused.
    ///
    /// Its own events have numbers of their own, without gaps.
    ///
    /// - Returns: The number of its last event.
    private mutating func append(_ caused: [ControllerEffect], of node: String, after last: Int) -> Int {
        var number = last
        for effect in caused {
            guard case .emit(var event) = effect else {
                effects.append(effect.of(node: node))
                continue
            }
            if event.topic.isOfNode {
                number += 1
                event.sequence = number
                effects.append(.node(node, .emit(event)))
            } else {
                state.sequence += 1
                event.sequence = state.sequence
                effects.append(.emit(event))
            }
        }
        return number
    }

    /// Moves changes of the place to those of the daemon, which publishes it.
    private mutating func passOnPlaceChanges(of work: inout DeviceNodeWork) {
        for change in work.changes {
            switch change {
            case .object(let object):
                changes.insert(change)
                if state.isNearby(object) { changes.insert(.nearby) }
            case .beacon: changes.insert(change)
            default: continue
            }
            work.changes.remove(change)
        }
    }

    /// What of a device the list of all devices shows.
    private static let listedChanges: Set<StateChange> = [.zone, .nearby, .device, .position, .angle]

    /// Marks the zones in which somebody else is now, or somebody with another name.
    private mutating func occupancyChanged(from old: Occupant, to new: Occupant) {
        guard old != new else { return }
        for zone in [old.zone, new.zone].compactMap(\.self) { changes.insert(.occupancy(zone)) }
    }

    // MARK: Events

    /// Applies an event in a daemon with several devices.
    mutating func handleAmongNodes(_ event: ControllerEvent) {
        if let (node, event) = nodeEvent(event) {
            act(as: node) { $0.handle(event) }
            if !sliceWork.isEmpty { performSliceWork() }
            let start = effects.count
            slicesFollow(.node(node, event))
            emitNearbyChanges(since: start)
            return
        }
        let before = PlaceMark(state, effects: effects.count)
        handle(event)
        if !changes.isDisjoint(with: Self.listedChanges) { changes.insert(.devices) }
        occupancyChanged(from: before.occupant, to: Occupant(zone: state.zoneID, name: state.device?.name))
        let isConcerned =
            event.changesWholePlace || state.environmentID != before.environment
            || state.isPlaceKnown != before.isPlaceKnown
        if isConcerned {
            for node in state.nodes.keys.sorted() {
                act(as: node) { $0.follow(event, since: before) }
                slicesFollow(.node(node, event))
            }
        }
        emitNearbyChanges(since: before.effects)
    }

    /// The node that an event is about, and the event as it is for this node; `nil` for one about the place or the daemon's
    /// own device.
    private func nodeEvent(_ event: ControllerEvent) -> (node: String, event: ControllerEvent)? {
        let node: String?
        switch event {
        case .node(let name, let event): return state.nodes[name] == nil ? nil : (name, event)
        case .timerFired(.node(let name, let timer)):
            return state.nodes[name] == nil ? nil : (name, .timerFired(timer))
        case .flare(.notice(let notice)): node = notice.device.flatMap { owners[$0] }
        case .flare(.replied(.createDevice(let draft, _), _)): node = draft.data[Self.nodeKey]?.string
        case .flare(.replied(let request, _)): node = request.device.flatMap { owners[$0] }
        default: return nil
        }
        guard let node, state.nodes[node] != nil else { return nil }
        return (node, event)
    }

    /// Publishes changes of things also as news of the nearby thing of those whose it is.
    private mutating func emitNearbyChanges(since start: Int) {
        let news = effects.dropFirst(start).compactMap { effect -> ChangeEvent? in
            guard case .emit(let event) = effect, event.topic == .thing, event.type == "changed" else {
                return nil
            }
            return event
        }
        guard !news.isEmpty else { return }
        for event in news {
            guard let thing = event.id else { continue }
            for node in nodesAt[ObjectReference(.thing, thing)].sorted() {
                act(as: node) {
                    $0.core.emit(
                        .nearby,
                        event.type,
                        event.id.map { ObjectReference(.thing, $0) },
                        before: event.before,
                        after: event.after,
                        changed: event.changed,
                        cause: event.cause
                    )
                }
            }
        }
    }

    // MARK: The place

    /// Follows what an event has changed in the place; for the node whose rules run.
    private mutating func follow(_ event: ControllerEvent, since before: PlaceMark) {
        let isElsewhere = state.environmentID != before.environment
        if isElsewhere { environmentChanged(since: before) }
        switch event {
        case .flare(.linkUp):
            sync.forgetUnconfirmedPositions()
            if !isElsewhere { readOwnDevice() }
        case .flare(.linkDown):
            core.forgetFailedReads { _ in true }
            sync.dropDueReadings(in: &core)
        case .configurationApplied:
            if links.isStartPublished {
                core.emit(.bridge, "reloaded", cause: ChangeEvent.Cause("start"))
            }
        case .stopBegun:
            core.emit(.bridge, "stopping", cause: ChangeEvent.Cause("stop"))
            rememberPosition(isEnding: true)
        default: break
        }
        if state.isPlaceKnown, !isElsewhere, event.changesObjects {
            core.leaveRemovedObjects(isEvent: before.isPlaceKnown)
            if before.isPlaceKnown { presence.update(in: &core, cause: ChangeEvent.Cause("server")) }
        }
        slicesFollow(event)
    }

    /// Leaves what was in the last environment.
    private mutating func environmentChanged(since before: PlaceMark) {
        if let left = before.environment { rememberPosition(leaving: left) }
        core.forgetFailedReads { $0.environment == before.environment }
        sync.dropDueReadings(in: &core)
        if let device = state.device { state.changedAt[ObjectReference(.device, device.id)] = nil }
        (state.zoneID, state.zoneSince, state.nearbyID, state.nearbySince) = (nil, nil, nil, nil)
        (state.device, state.fix, state.seenAt) = (nil, nil, nil)
        state.countedBeacons.removeAll()
        sync.forgetUnconfirmedPositions()
        presence.leavePlace(in: &core)
        changes.formUnion([.environment, .zone, .nearby, .device, .position, .angle])
        if let old = before.environment, !before.isStale {
            core.emit(
                .environment,
                "selected",
                state.environmentID.map { ObjectReference(.environment, $0) },
                before: .string("\(old)"),
                after: state.environmentID.map { .string("\($0)") },
                cause: ChangeEvent.Cause("controller")
            )
        }
        readOwnDevice()
    }

    /// Reads the device of the node whose rules run, or makes one.
    mutating func readOwnDevice() {
        if state.isLinkUp, let environment = state.environmentID { loadOrCreateDevice(in: environment) }
    }

    /// A new device of the node whose rules run; `nil` for the daemon's own, as the configuration has it.
    var draft: DeviceDraft? {
        seat.map {
            // Replies are told apart by it, and devices in the place too.
            DeviceDraft(name: $0.name, description: $0.kind, data: [Self.nodeKey: .string($0.node)])
        }
    }

    /// The key of a device's data with its node.
    static var nodeKey: String { "node" }

    // MARK: Snapshots

    /// The further nodes that have changed since their last snapshot; before the daemon's own snapshot is removed.
    ///
    /// A turn in which nothing changed for them costs the same with any number of nodes.
    package mutating func changedNodes() -> [String] {
        guard !state.nodes.isEmpty else { return [] }
        shareChanges()
        return changedNodeNames.isEmpty ? [] : changedNodeNames.sorted()
    }

    /// Shows the nodes what of the place is also theirs: the link, the environment, and the zone and the thing at which they are.
    private mutating func shareChanges() {
        var common: Set<StateChange> = []
        for change in changes {
            switch change {
            case .link: common.insert(.link)
            case .object(let object) where object.kind == .environment:
                if object.id == state.environmentID { common.insert(.environment) }
            case .object(let object) where object.kind == .zone || object.kind == .thing:
                let own: StateChange = object.kind == .zone ? .zone : .nearby
                for node in nodesAt[object] {
                    nodeWork[node]?.changes.insert(own)
                    changedNodeNames.insert(node)
                }
            default: continue
            }
        }
        guard !common.isEmpty else { return }
        for node in Array(nodeWork.keys) { nodeWork[node]?.changes.formUnion(common) }
        changedNodeNames.formUnion(nodeWork.keys)
    }

    /// The state as a node publishes it, with its changes since the last call, which are cleared; `nil` if nothing changed.
    package mutating func removeSnapshot(of node: String) -> StateSnapshot? {
        changedNodeNames.remove(node)
        guard let changes = nodeWork[node]?.changes, !changes.isEmpty, let own = state.standing(for: node)
        else { return nil }
        nodeWork[node]?.changes = []
        return StateSnapshot(state: own, changes: changes)
    }
}

/// A device as its zone shows it.
struct Occupant: Sendable, Equatable {
    let zone: FlareID?
    let name: String?
}

/// What the nodes compare the place with after an event.
struct PlaceMark: Sendable {
    let environment: FlareID?
    let isPlaceKnown: Bool
    let isStale: Bool
    /// The daemon's own device.
    let occupant: Occupant
    /// How many effects there were.
    let effects: Int

    init(_ state: ControllerState, effects: Int) {
        (environment, self.effects) = (state.environmentID, effects)
        occupant = Occupant(zone: state.zoneID, name: state.device?.name)
        (isPlaceKnown, isStale) = (state.isPlaceKnown && !state.isStale, state.isStale)
    }
}
