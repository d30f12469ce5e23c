import Flare
package import JSON

/// The rules for location, proximity and control, as one value.
///
/// Events and the time go in; effects come out and are carried out in order. Nothing here waits, logs or
/// reads a clock.
package struct DeviceController: Sendable {
    var core: ControllerCore
    var memory: PersistedState
    var links = LinkStates()
    var reading = PlaceReading()
    var presence = PresenceTracker()
    var sync = DeviceSync()
    var pending = PendingCommands()
    var queues = ObjectQueues()
    var edge = EdgeQueues()
    var lights = LightMemory()
    var sliceWork = SliceWork()
    /// What the rules keep of the further nodes.
    var nodeWork: [String: DeviceNodeWork] = [:]
    /// Those of which something has changed since their last snapshot.
    var changedNodeNames: Set<String> = []
    /// Where they are.
    var nodesAt = NodesByPlace()
    /// The nodes of their devices.
    var owners: [FlareID: String] = [:]
    /// Nodes that were removed from the list, and whose devices from the place.
    var nodesLeavingPlace: Set<String> = []
    /// The node whose rules run now; `nil` for the daemon's own.
    var seat: ListedNode?
    /// Answers for slices of the daemon's own device, while ``seat`` is another.
    var answersElsewhere: [(Answer, any Slice.Type)] = []

    package init(epoch: String, configuration: ControllerConfiguration, memory: PersistedState) {
        self.memory = memory
        var state = ControllerState(epoch: epoch, slugs: memory.slugs, catalog: configuration.catalog)
        if case .steady(let settings) = configuration.presence {
            state.isNearInPlane = settings.nearDimensions == 2
        }
        (state.isPresent, state.node) = (configuration.isPresent, configuration.node)
        state.lastPlace = memory.environment
        state.formerPlaces = Set(memory.devices.keys).union([memory.environment].compactMap(\.self))
        for sensor in configuration.switchedOff { state.sensors[sensor] = false }
        state.sensors.merge(memory.sensors) { _, saved in saved }
        core = ControllerCore(state: state, configuration: configuration)
        // Publish everything once, including empty values.
        changes = [.environment, .zone, .nearby, .device, .link]
        for sensor in SensorKind.allCases { changes.insert(.sensor(sensor)) }
        // Sensors run by default, so switch off only the disabled ones.
        effects = SensorKind.allCases.filter { state.sensors[$0] == false }.map {
            .switchSensor($0, on: false)
        }
        addSlices(configuration.slices)
        useNodes(configuration.nodes)
    }

    // Reading is `get` here and not `_read`: the compiler (Swift 6.3.1) reads members of a large value that a coroutine has
    // yielded from the frame of that coroutine after it was freed.
    package internal(set) var state: ControllerState {
        get { core.state }
        _modify { yield &core.state }
    }

    var effects: [ControllerEffect] {
        get { core.effects }
        _modify { yield &core.effects }
    }

    var changes: Set<StateChange> {
        get { core.changes }
        _modify { yield &core.changes }
    }

    /// Checked in this order; the first refusal wins.
    package var policies: [any CommandPolicy] {
        get { core.policies }
        set { core.policies = newValue }
    }

    /// Finds what is legal in a model file, but hardly meant; called with the place around a changed object.
    package var advise: @Sendable (_ model: JSONValue) -> [PlaceAdvice.Finding] {
        get { core.advise }
        set { core.advise = newValue }
    }

    var configuration: ControllerConfiguration { core.configuration }
    var now: Instant { core.now }

    /// Applies one event.
    /// - Returns: The effects to carry out, in order.
    package mutating func apply(_ event: ControllerEvent, at now: Instant) -> [ControllerEffect] {
        core.now = now
        core.event += 1
        // Slices that follow changes are shown those of this event alone.
        let earlier = state.slices.hasChangeFollowers ? removeChanges() : nil
        if state.nodes.isEmpty { handle(event) } else { handleAmongNodes(event) }
        if let earlier, !earlier.isEmpty { changes.formUnion(earlier) }
        if edge.isGathering { sendBatches() }
        let result = effects
        effects = []
        return result
    }

    /// Applies an event to the place and the device whose turn it is, and lets the slices follow.
    mutating func handle(_ event: ControllerEvent) {
        if event.isReading, !state.hasDevice { return }
        switch event {
        case .flare(.linkUp): linkUp()
        case .flare(.linkDown(let reason)): linkDown(reason)
        case .flare(.replied(let request, let result)): replyReceived(request, result)
        case .flare(.notice(let notice)): noticeReceived(notice)
        case .objectMade(let object, let name, let home, let caller):
            core.nameNew(object, name, home: home, by: caller)
        case .placeRemembered(let place): placeRemembered(place)
        case .commandReceived(let command): execute(command)
        case .commandRefused(let answer, let caller, let source): refused(answer, caller, source)
        case .positionEstimated(let estimate): positionEstimated(estimate)
        case .headingChanged(let degrees): headingChanged(degrees)
        case .headingMeasured(let degrees): core.headingMeasured(degrees)
        case .located(let location): located(location)
        case .timerFired(let timer): timerFired(timer)
        case .alertRaised(let id, let severity, let message): core.raise(id, severity, message)
        case .alertCleared(let id): core.clear(id)
        case .conditionChanged(let thing, let condition): conditionChanged(thing, condition)
        case .edge(let thing, let event): apply(event, of: thing)
        case .beaconsHeard(let reports): core.beaconsHeard(reports)
        case .receiversUnplaced(let names):
            state.unplacedReceivers = Array(names.prefix(ControllerState.mostUnplacedReceivers))
        case .slice(let event): apply(event)
        case .brokerLinkChanged(let isUp): brokerLinkChanged(isUp)
        case .linkChanged(let name, let isUp): linkChanged(name, isUp)
        case .configurationRead(let problem): configurationRead(problem)
        case .configurationApplied(let configuration): configurationApplied(configuration)
        case .nodesListed(let listed, let leaving, let removed):
            nodesListed(listed, leavingPlace: leaving, removed: removed)
        case .topicsCleared(let names): forgetSlugs(names)
        case .peopleChanged(let table):
            state.people = table
            endForbiddenTransitions()
        case .announcementWanted: effects.append(.announce)
        case .stopBegun: stopBegun()
        // Its node is no longer listed.
        case .node: return
        }
        // What is of the place has its alerts with the daemon's own device.
        if seat == nil {
            reading.nameElsewhere(in: &core)
            reading.unknownNames.update(in: &core, isElsewhereRead: reading.elsewhere.isEmpty)
        }
        if !sliceWork.isEmpty { performSliceWork() }
        if edge.isGathering { sendBatches() }
        slicesFollow(event)
    }

    /// Returns and clears the changes since the last call.
    package mutating func removeChanges() -> Set<StateChange> {
        let result = changes
        changes = []
        return result
    }

    /// The state with the changes since the last call, which are cleared; `nil` if nothing changed.
    package mutating func removeSnapshot() -> StateSnapshot? {
        let changes = removeChanges()
        return changes.isEmpty ? nil : StateSnapshot(state: core.state, changes: changes)
    }

    private mutating func timerFired(_ timer: ControllerTimer) {
        switch timer {
        case .exitCheck: presence.confirmExit(in: &core)
        case .presenceCheck: presence.update(in: &core, cause: presence.cause)
        case .presenceLost: presence.end(in: &core)
        case .positionDue: sendDuePosition()
        case .headingDue: sendDueHeading()
        case .transitionStep(let thing): stepTransition(of: thing)
        case .readAgain: readAgain()
        case .edgeDue(let thing): edgeDue(thing)
        case .slice(let event): apply(event)
        case .node: break
        }
    }
}
