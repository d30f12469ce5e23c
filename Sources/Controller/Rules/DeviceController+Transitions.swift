import Flare
import JSON
import Things

/// Transitions: ten steps a second for the server, three or four for readers, one event at the end.
extension DeviceController {
    private static var stepMilliseconds: Int64 { 100 }

    /// Starts a transition.
    /// - Returns: The first change to store.
    mutating func beginTransition(
        of object: ObjectReference,
        to goal: ThingPatch,
        seconds: Double,
        cause: ChangeEvent.Cause,
        by command: Command?
    ) -> ThingPatch {
        let transition = Transition(
            of: object,
            from: state.data(of: object) ?? [:],
            to: goal,
            shape: shape(of: object),
            seconds: seconds,
            cause: cause,
            by: command,
            at: now
        )
        lights.transitions[object.id] = transition
        (state.goals[object.id], state.goalSeconds[object.id]) = (transition.goal, seconds)
        core.markChanged(object)
        return transition.current
    }

    /// Handles a stored step: schedules the next one, or publishes the final change.
    /// - Parameter stored: The values as they were sent.
    mutating func stepped(
        _ object: ObjectReference,
        _ step: ThingPatch,
        stored: JSONObject,
        isLast: Bool,
        cause: ChangeEvent.Cause
    ) {
        if let transition = lights.transitions[object.id], !isLast {
            // Values that do not change gradually apply at once: a light that fades in is on.
            if transition.shownAt == nil {
                merge(stored.filter { !transition.moving.contains($0.key) }, into: object, cause: cause)
            }
            // Published without an event.
            let values = self.stored(step, of: object)
            if state.things[object.id] != nil,
                let shown = lights.transitions[object.id]?.shown(values, at: core.now)
            {
                show(shown, on: object)
                core.markChanged(object)
            }
            effects.append(.startTimer(.transitionStep(object.id), milliseconds: Self.stepMilliseconds))
            return
        }
        if let transition = removeTransition(of: object.id) {
            show(transition.hidden, on: object)
            // Remember the brightness of a light that went off: the write that restores it may fail.
            lights.restingLevels[object.id] = step.state == .off ? transition.resting : nil
        }
        merge(stored, into: object, cause: cause)
    }

    private mutating func show(_ values: [(name: String, value: JSONValue?)], on object: ObjectReference) {
        for (key, value) in values { state.things[object.id]?.data[key] = value }
    }

    mutating func stepTransition(of id: FlareID) {
        guard let transition = lights.transitions[id] else { return }
        guard mayGoOn(transition) else { return endTransition(of: id) }
        guard let next = lights.transitions[id]?.step(at: core.now) else {
            effects.append(.startTimer(.transitionStep(id), milliseconds: Self.stepMilliseconds))
            return
        }
        var step = next.patch
        let restored = next.isLast ? removeRestoredLevel(of: &step, transition.object) : nil
        var job = Job(work: .step(step, isLast: next.isLast), command: nil, cause: transition.cause)
        if let restored { job.rest = [restored] }
        enqueue(job, on: transition.object)
    }

    /// Stops the transitions whose senders may not drive the thing any more.
    mutating func endForbiddenTransitions() {
        for (id, transition) in lights.transitions.sorted(by: { $0.key < $1.key }) where !mayGoOn(transition)
        {
            endTransition(of: id)
        }
    }

    private func mayGoOn(_ transition: Transition) -> Bool {
        transition.command.map { lostRight(of: $0, on: transition.object) == nil } ?? true
    }

    /// Stops a transition at its current values, because a new command or action replaces it, or its sender's right has ended.
    mutating func endTransition(of id: FlareID) {
        guard let transition = removeTransition(of: id, stopsTimer: true) else { return }
        show(transition.hidden, on: transition.object)
        merge(
            stored(transition.current, of: transition.object),
            into: transition.object,
            cause: transition.cause
        )
        lights.restingLevels[id] = transition.resting ?? lights.restingLevels[id]
    }

    /// Stops a transition when another client sets one of its values: the newer change wins.
    mutating func yieldTransition(
        of object: ObjectReference,
        to values: JSONObject,
        sender: JSONValue?
    ) {
        guard let transition = lights.transitions[object.id] else { return }
        let goal = stored(transition.goal, of: object)
        guard values.keys.contains(where: { goal[$0] != nil }) else { return }
        // Ignore late echoes of our own changes.
        if let device = state.device, sender?.string == "\(device.id)" { return }
        endTransition(of: object.id)
    }

    /// Drops a transition whose step failed, and reads the server's values.
    mutating func abandonTransition(of id: FlareID) {
        if let transition = removeTransition(of: id, stopsTimer: true) {
            lights.restingLevels[id] = transition.resting ?? lights.restingLevels[id]
        }
        if let environment = state.environmentID { core.load(.loadPlace(environment: environment)) }
    }

    @discardableResult
    mutating func removeTransition(of id: FlareID, stopsTimer: Bool = false) -> Transition? {
        guard let transition = lights.transitions.removeValue(forKey: id) else { return nil }
        if stopsTimer { effects.append(.stopTimer(.transitionStep(id))) }
        (state.goals[id], state.goalSeconds[id]) = (nil, nil)
        core.markChanged(transition.object)
        return transition
    }

    /// Keeps the published values of running transitions when things are read again.
    /// - Parameter things: The things that were read; `nil` for all.
    mutating func keepTransitionValues(_ shown: [FlareID: FlareThing], of things: [FlareID]? = nil) {
        for id in things ?? Array(lights.transitions.keys) {
            guard let transition = lights.transitions[id] else { continue }
            for key in stored(transition.goal, of: transition.object).keys {
                state.things[id]?.data[key] = shown[id]?.data[key]
            }
        }
    }
}
