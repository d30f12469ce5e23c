import Flare

extension RuleEngine {
    // MARK: Starting

    /// Takes all rules with what was remembered of them.
    mutating func start(_ entries: [RuleEntry], _ memories: [Int: RuleMemory], in view: some RuleView) {
        for id in Array(places.keys) { remove(id) }
        lookAround(in: view)
        let entries = entries.sorted { $0.id < $1.id }
        for entry in entries {
            insert(entry)
            guard let place = places[entry.id] else { continue }
            let memory = memories[entry.id]
            if let fired = memory?.fired {
                slots[place]?.fired = (fired, now.steady - max(0, now.wall - fired))
            }
            if isActive(place) {
                begin(place, memory, in: view)
            } else {
                slots[place]?.keepRuns(of: memory)
            }
        }
        for entry in entries {
            guard let place = places[entry.id], isActive(place) else { continue }
            compareFirstValues(place, in: view)
        }
    }

    /// Takes the level and the places of devices as they are now.
    private mutating func lookAround(in view: some RuleView) {
        level = view.level
        known = [:]
        for kind in [FlareClass.zone, .thing] {
            known[kind] = Set(view.devices.filter { view.presence(kind, of: $0) != .unknown })
        }
    }

    /// Compares the first values of things with the remembered truths.
    private mutating func compareFirstValues(_ place: Int, in view: some RuleView) {
        guard let slot = slots[place] else { return }
        var cause: RuleCause?
        for trigger in slot.states.indices {
            guard case .clause = slot.states[trigger] else { continue }
            let found = compare(Reference(rule: slot.id, trigger: trigger, slot: place), in: view)
            cause = cause ?? found
        }
        if let cause { fire(place, cause, in: view) }
    }

    // MARK: Rules that come and go

    mutating func add(_ entry: RuleEntry, in view: some RuleView) {
        if places.isEmpty {
            // Without rules nobody has looked.
            lookAround(in: view)
        }
        let old = places[entry.id].flatMap { slots[$0] }
        remove(entry.id)
        insert(entry, fired: old?.fired)
        guard let place = places[entry.id] else { return }
        keepRuns(of: old, in: place)
        markChanged(place)
        if let suspension = slots[place]?.suspension, suspension != old?.suspension {
            outputs.append(.suspended(rule: entry.id, suspension))
        }
        if isActive(place) { begin(place, nil, in: view) }
    }

    /// A run that the rule began before it was edited still has its end.
    private mutating func keepRuns(of old: RuleSlot?, in place: Int) {
        guard let old, let new = slots[place] else { return }
        for trigger in new.states.indices where trigger < old.states.count {
            guard new.rule.triggers[trigger] == old.rule.triggers[trigger],
                case .time(var state) = old.states[trigger]
            else { continue }
            state.forgetRange()
            slots[place]?.states[trigger] = .time(state)
        }
    }

    private mutating func insert(_ entry: RuleEntry, fired: (wall: Int64, steady: Int64)? = nil) {
        generations += 1
        var slot = RuleSlot(entry, generation: generations)
        slot.fired = fired
        if !slot.isActive { slot.inactiveSince = now.wall }
        if let place = freeSlots.popLast() {
            slots[place] = slot
            places[entry.id] = place
        } else {
            places[entry.id] = slots.count
            slots.append(slot)
        }
        if let place = places[entry.id] { index.add(entry.rule, id: entry.id, slot: place) }
    }

    mutating func remove(_ id: Int) {
        guard let place = places.removeValue(forKey: id), let slot = slots[place] else { return }
        index.remove(slot.rule, id: id, slot: place)
        slots[place] = nil
        freeSlots.append(place)
        rangesToEnter.removeAll { $0.rule == id }
        changed.removeAll { $0 == place }
        if places.isEmpty {
            wallTimers.removeAll()
            steadyTimers.removeAll()
        }
    }

    // MARK: On, off, suspended

    mutating func turn(_ id: Int, _ isOn: Bool, in view: some RuleView) {
        guard let place = places[id], slots[place]?.isOn != isOn else { return }
        guard isOn else {
            deactivate(place) { $0.isOn = false }
            return
        }
        slots[place]?.isOn = true
        guard isActive(place) else { return }
        let wall = now.wall
        slots[place]?.changeTimes { $0.forgetRun(endingBy: wall) }
        begin(place, nil, in: view)
    }

    mutating func judge(_ id: Int, _ suspension: RuleSuspension?, in view: some RuleView) {
        guard let place = places[id] else { return }
        change(place, in: view) { $0.judgement = suspension }
    }

    mutating func handleLoss(of object: FlareID) {
        for reference in index.objects[object] ?? [] {
            suspend(reference.slot) { $0.missing.insert(object) }
        }
    }

    mutating func handleReturn(of object: FlareID, in view: some RuleView) {
        for reference in index.objects[object] ?? [] {
            change(reference.slot, in: view) { $0.missing.remove(object) }
        }
    }

    mutating func handleLoss(ofDevice node: String) {
        for reference in index.nodes[node] ?? [] {
            suspend(reference.slot) { $0.missingDevices.insert(node) }
        }
    }

    mutating func handleReturn(ofDevice node: String, in view: some RuleView) {
        for reference in index.nodes[node] ?? [] {
            change(reference.slot, in: view) { $0.missingDevices.remove(node) }
        }
    }

    /// Changes what stands against a rule.
    private mutating func change(
        _ place: Int,
        in view: some RuleView,
        _ change: (inout RuleSlot) -> Void
    ) {
        guard let before = slots[place] else { return }
        var after = before
        change(&after)
        guard after.suspension == nil else { return suspend(place, change) }
        slots[place] = after
        guard before.suspension != nil else { return }
        outputs.append(.resumed(rule: before.id))
        if after.isActive { begin(place, nil, in: view) }
    }

    private mutating func suspend(_ place: Int, _ change: (inout RuleSlot) -> Void) {
        let before = slots[place]?.suspension
        deactivate(place, change)
        guard let id = slots[place]?.id, let suspension = slots[place]?.suspension, suspension != before
        else { return }
        outputs.append(.suspended(rule: id, suspension))
    }

    /// Forgets what the rule has seen, as it begins anew later; only runs that it has begun are kept.
    mutating func deactivate(_ place: Int, _ change: (inout RuleSlot) -> Void) {
        guard var slot = slots[place] else { return }
        slots[place] = nil
        let wasActive = slot.isActive
        change(&slot)
        if wasActive, !slot.isActive {
            generations += 1
            slot.generation = generations
            slot.inactiveSince = now.wall
            slot.queued = slot.queued.map { _ in nil }
            slot.states = slot.states.map { if case .time = $0 { $0 } else { .moment } }
        }
        slots[place] = slot
        if wasActive, !slot.isActive { markChanged(place) }
    }
}

// MARK: - Beginning

extension RuleEngine {
    /// Lets a rule begin with what is so now: the first sight is no edge.
    ///
    /// - Parameter memory: What is remembered over a restart.
    private mutating func begin(_ place: Int, _ memory: RuleMemory?, in view: some RuleView) {
        guard let slot = slots[place] else { return }
        slots[place]?.inactiveSince = nil
        for trigger in slot.states.indices {
            let reference = Reference(rule: slot.id, trigger: trigger, slot: place)
            setState(firstState(reference, slot.states[trigger], memory, in: view), of: reference)
            if memory?.truths[trigger] == nil { _ = compare(reference, in: view) }
            plan(reference)
        }
        markChanged(place)
    }

    private func firstState(
        _ reference: Reference,
        _ old: TriggerState,
        _ memory: RuleMemory?,
        in view: some RuleView
    ) -> TriggerState {
        guard let trigger = trigger(of: reference) else { return .moment }
        switch trigger {
        case .state(let trigger):
            guard case .clause = trigger.subject else { return .moment }
            guard let memory, let truth = memory.truths[reference.trigger] else {
                return .clause(ClauseState())
            }
            let isStanding = memory.standing.contains(reference.trigger)
            return .clause(ClauseState(remembered: truth, isStanding: isStanding))
        case .enter(.circle(let circle), _), .exit(.circle(let circle), _):
            var state = CircleState()
            if let location = view.location, location.isValid {
                _ = state.update(circle, at: location, accuracy: 0)
            }
            return .circle(state)
        case .enter(.beacon, _), .exit(.beacon, _): return .beacon(BeaconState(at: now.steady))
        case .device(let trigger):
            guard let thing = trigger.thing.id else { return .moment }
            return .device(firstSight(of: thing, in: view))
        case .time: return time(reference, old, memory?.times[reference.trigger])
        case .enter(.zone, _), .exit(.zone, _), .near, .far, .call, .level: return .moment
        }
    }

    private func time(
        _ reference: Reference,
        _ old: TriggerState,
        _ memory: RuleMemory.TimeMemory?
    ) -> TriggerState {
        guard let context = context(of: reference) else { return .moment }
        if let memory {
            var state = TimeState(remembered: memory)
            // While the clock is wrong nothing can be told; see what follows when it is set.
            if isClockPlausible { state.resume(at: now.wall, since: configuration.built, context) }
            return .time(state)
        }
        guard case .time(var state) = old else { return .time(TimeState(at: now.wall, context)) }
        state.restart(at: now.wall, context)
        return .time(state)
    }

    // MARK: Memory

    /// What is to be stored of a rule; `nil` if there is no such rule.
    package func memory(of id: Int) -> RuleMemory? {
        guard let slot = places[id].flatMap({ slots[$0] }) else { return nil }
        var memory = RuleMemory()
        memory.fired = slot.fired?.wall
        for (trigger, state) in slot.states.enumerated() {
            switch state {
            case .clause(let state) where state.settled != .unknown:
                memory.truths[trigger] = state.settled
                if state.isStanding { memory.standing.insert(trigger) }
            case .time(let state): memory.times[trigger] = state.memory
            case .clause, .circle, .beacon, .device, .moment: break
            }
        }
        return memory
    }
}

extension RuleSlot {
    /// While the rule is off, what it has begun is kept for when it is on again.
    fileprivate mutating func keepRuns(of memory: RuleMemory?) {
        for (trigger, time) in memory?.times ?? [:] {
            guard states.indices.contains(trigger), case .time = entry.rule.triggers[trigger] else {
                continue
            }
            states[trigger] = .time(TimeState(remembered: time))
        }
    }

    fileprivate mutating func changeTimes(_ change: (inout TimeState) -> Void) {
        for trigger in states.indices {
            guard case .time(var state) = states[trigger] else { continue }
            change(&state)
            states[trigger] = .time(state)
        }
    }
}
