import Bindings
import Flare
import JSON

// MARK: - Data of things

extension RuleEngine {
    mutating func handleWrite(_ write: RuleWrite, in view: some RuleView) {
        guard !index.things.isEmpty, let fields = index.things[write.thing] else { return }
        // A rule of which two triggers are met fires once.
        var done: Int?
        for reference in fields.references(to: write.fields) {
            guard case .state(let trigger) = trigger(of: reference) else { continue }
            let verdict = update(reference, trigger, write)
            guard verdict != .nothing, done != reference.rule else { continue }
            let cause = write.cause(of: trigger)
            guard isActive(reference.slot) else {
                refuse(reference.slot, slots[reference.slot]?.isOn == false ? .off : .suspended, cause)
                continue
            }
            guard verdict == .fire else {
                refuse(reference.slot, .edge, cause)
                continue
            }
            done = reference.rule
            fire(reference.slot, cause, chain: write.chain, in: view)
        }
    }

    private mutating func update(
        _ reference: Reference,
        _ trigger: StateTrigger,
        _ write: RuleWrite
    ) -> ClauseState.Verdict {
        switch trigger.subject {
        case .field(let field): return write.verdict(of: field, trigger.edge)
        case .clause(let clause):
            guard isActive(reference.slot) else {
                return clause.truth(of: write.after, at: now.wall) == .yes ? .noEdge : .nothing
            }
            return update(reference, trigger, clause, write.after, isWrite: true, chain: write.chain) {
                write.cause(of: trigger)
            }
        }
    }

    private mutating func update(
        _ reference: Reference,
        _ trigger: StateTrigger,
        _ clause: StateClause,
        _ data: JSONObject,
        isWrite: Bool,
        chain: [Int] = [],
        cause: () -> RuleCause
    ) -> ClauseState.Verdict {
        guard case .clause(var state) = state(of: reference) else { return .nothing }
        let before = state
        let wasTrue = state.truth == .yes
        let truth = clause.truth(of: data, at: now.wall, margin: trigger.margin, wasTrue: wasTrue)
        let verdict = state.update(
            to: truth,
            trigger,
            at: now.steady,
            isWrite: isWrite,
            chain: chain,
            cause: cause
        )
        guard state != before else { return verdict }
        setState(.clause(state), of: reference)
        if state.settled != before.settled { markChanged(reference.slot) }
        if state.hold != nil { plan(reference) }
        return verdict
    }

    mutating func fire(_ slot: Int, _ cause: RuleCause, chain: [Int] = [], in view: some RuleView) {
        var attempt = Attempt(cause)
        attempt.chain = chain
        _ = self.attempt(slot, attempt, in: view)
    }

    /// A clause has held long enough.
    mutating func settle(_ reference: Reference, _ state: ClauseState, in view: some RuleView) {
        guard isActive(reference.slot), case .state(let trigger) = trigger(of: reference) else { return }
        var state = state
        guard let (verdict, hold) = state.settle(trigger) else { return }
        setState(.clause(state), of: reference)
        markChanged(reference.slot)
        if verdict == .fire { fire(reference.slot, hold.cause, chain: hold.chain, in: view) }
    }

    // MARK: First sight

    /// Compares a thing's first values with what is remembered.
    mutating func handleAppearance(of thing: FlareID, in view: some RuleView) {
        for reference in index.devices[thing] ?? [] where isActive(reference.slot) {
            guard case .device(let state) = state(of: reference), !state.isKnown else { continue }
            setState(.device(firstSight(of: thing, in: view)), of: reference)
        }
        guard let fields = index.things[thing] else { return }
        var done: Int?
        for reference in fields.all where isActive(reference.slot) {
            guard let cause = compare(reference, in: view), done != reference.rule else { continue }
            done = reference.rule
            fire(reference.slot, cause, in: view)
        }
    }

    func firstSight(of thing: FlareID, in view: some RuleView) -> DeviceState {
        DeviceState(isOnline: view.isOnline(thing), address: view.address(of: thing), at: now.steady)
    }

    /// Looks at a clause without a write.
    ///
    /// - Returns: What made the rule fire, if there is an edge from what was remembered.
    mutating func compare(_ reference: Reference, in view: some RuleView) -> RuleCause? {
        guard case .state(let trigger) = trigger(of: reference), case .clause(let clause) = trigger.subject,
            let thing = trigger.thing.id, let data = view.data(of: thing)
        else { return nil }
        let field = trigger.fields.first ?? ""
        let cause = RuleCause.state(thing, field: field, before: nil, after: data[field])
        let verdict = update(reference, trigger, clause, data, isWrite: false) { cause }
        return verdict == .fire ? cause : nil
    }
}

extension RuleWrite {
    /// The first written field that the trigger looks at.
    func cause(of trigger: StateTrigger) -> RuleCause {
        let field = trigger.fields.first(where: fields.contains) ?? fields.min() ?? ""
        return .state(thing, field: field, before: before[field], after: after[field])
    }

    /// Whether a write of a field fires: from or to a missing one there is no difference.
    func verdict(of field: String, _ edge: StateTrigger.Edge) -> ClauseState.Verdict {
        if edge == .isTrue { return .fire }
        guard let old = before[field], let new = after[field], !old.isNull, !new.isNull else {
            return .nothing
        }
        return old == new ? .noEdge : .fire
    }
}

// MARK: - Connections of things

extension RuleEngine {
    mutating func handleAvailability(of thing: FlareID, _ isOnline: Bool, in view: some RuleView) {
        handleDevice(thing, in: view) { state, trigger, now in
            state.update(isOnline: isOnline, trigger, at: now)
        }
    }

    mutating func handleAddress(_ address: String, of thing: FlareID, in view: some RuleView) {
        handleDevice(thing, in: view) { state, trigger, now in
            state.update(address: address, trigger, at: now)
        }
    }

    private mutating func handleDevice(
        _ thing: FlareID,
        in view: some RuleView,
        _ change: (inout DeviceState, DeviceTrigger, _ now: Int64) -> Bool
    ) {
        guard !index.devices.isEmpty, let references = index.devices[thing] else { return }
        var done: Int?
        for reference in references where isActive(reference.slot) {
            guard case .device(let trigger) = trigger(of: reference),
                case .device(var state) = state(of: reference)
            else { continue }
            let isMet = change(&state, trigger, now.steady)
            setState(.device(state), of: reference)
            plan(reference)
            guard isMet, done != reference.rule else { continue }
            done = reference.rule
            fire(reference.slot, .device(thing, trigger.event), in: view)
        }
    }

    mutating func expireDevice(_ reference: Reference, _ state: DeviceState, in view: some RuleView) {
        guard isActive(reference.slot), case .device(let trigger) = trigger(of: reference),
            let thing = trigger.thing.id
        else { return }
        var state = state
        state.expire()
        setState(.device(state), of: reference)
        fire(reference.slot, .device(thing, trigger.event), in: view)
    }
}
