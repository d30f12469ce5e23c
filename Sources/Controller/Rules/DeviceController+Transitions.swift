import Flare
import JSON
import Things

/// A gradual change of a thing's data.
struct Transition: Sendable {
    let object: ObjectReference
    /// The thing's data at the start, as stored.
    let original: JSONObject
    /// The light at the start.
    let start: LightValues
    let goal: ThingPatch
    /// The data keys whose values change gradually.
    let moving: Set<String>
    /// Brightness of a light when on, 0…1; `nil` unless the light is switched on or off.
    let resting: Double?
    let began: Instant
    let milliseconds: Double
    let cause: ChangeEvent.Cause
    /// Who started it; it stops when their right ends.
    let command: Command?
    /// The change last sent to the server.
    var current: ThingPatch
    /// When intermediate values were last published.
    var shownAt: Instant?
}

/// Transitions: ten steps a second for the server, three or four for readers, one event at the end.
extension DeviceController {
    private static var stepMilliseconds: Int64 { 100 }
    private static var showMilliseconds: Int64 { 250 }

    /// Starts a transition.
    /// - Returns: The first change to store.
    mutating func beginTransition(
        of object: ObjectReference,
        to goal: ThingPatch,
        seconds: Double,
        cause: ChangeEvent.Cause,
        by command: Command?
    ) -> ThingPatch {
        let original = data(of: object) ?? [:]
        let start = shape(of: object)?.light(of: original) ?? LightValues()
        var goal = goal
        var resting: Double?
        let end = start.applying(goal)
        if let level = end.level, start.isOn != end.isOn {
            resting = level
            goal.level = level
        }
        let first = goal.interpolated(from: start, fraction: 0)
        let final = stored(goal, of: object)
        let halfway = stored(goal.interpolated(from: start, fraction: 0.5), of: object)
        transitions[object.id] = Transition(
            object: object,
            original: original,
            start: start,
            goal: goal,
            moving: Set(halfway.filter { $0.value != final[$0.key] }.keys),
            resting: resting,
            began: now,
            milliseconds: seconds * 1000,
            cause: cause,
            command: command,
            current: first
        )
        state.goals[object.id] = goal
        state.goalSeconds[object.id] = seconds
        markChanged(object)
        return first
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
        if let transition = transitions[object.id], !isLast {
            // Values that do not change gradually apply at once: a light that fades in is on.
            if transition.shownAt == nil {
                merge(stored.filter { !transition.moving.contains($0.key) }, into: object, cause: cause)
            }
            show(step, on: object)
            effects.append(.startTimer(.transitionStep(object.id), milliseconds: Self.stepMilliseconds))
            return
        }
        if let transition = transitions.removeValue(forKey: object.id) {
            forgetGoal(of: object.id)
            markChanged(object)
            hideIntermediateValues(of: transition)
            // Remember the brightness of a light that went off: the write that restores it may fail.
            restingLevels[object.id] = step.state == .off ? transition.resting : nil
        }
        merge(stored, into: object, cause: cause)
    }

    /// Publishes intermediate values, without an event.
    private mutating func show(_ step: ThingPatch, on object: ObjectReference) {
        guard let transition = transitions[object.id], state.things[object.id] != nil else { return }
        if let shownAt = transition.shownAt, now.milliseconds(since: shownAt) < Self.showMilliseconds {
            return
        }
        transitions[object.id]?.shownAt = now
        for (key, value) in stored(step, of: object) where transition.moving.contains(key) {
            state.things[object.id]?.data[key] = value
        }
        markChanged(object)
    }

    /// Resets intermediate values to the start, so that the final event reports the whole change.
    private mutating func hideIntermediateValues(of transition: Transition) {
        guard transition.shownAt != nil else { return }
        for key in transition.moving {
            state.things[transition.object.id]?.data[key] = transition.original[key]
        }
    }

    mutating func stepTransition(of id: FlareID) {
        guard let transition = transitions[id] else { return }
        guard mayGoOn(transition) else { return endTransition(of: id) }
        let elapsed = Double(now.milliseconds(since: transition.began))
        let isLast = elapsed >= transition.milliseconds
        let fraction = elapsed / transition.milliseconds
        var step =
            isLast
            ? transition.goal : transition.goal.interpolated(from: transition.start, fraction: fraction)
        guard isLast || step != transition.current else {
            effects.append(.startTimer(.transitionStep(id), milliseconds: Self.stepMilliseconds))
            return
        }
        transitions[id]?.current = step
        let restored = isLast ? removeRestoredLevel(of: &step, transition.object) : nil
        var job = Job(work: .step(step, isLast: isLast), command: nil, cause: transition.cause)
        if let restored { job.rest = [restored] }
        enqueue(job, on: transition.object)
    }

    /// Stops the transitions whose senders may not drive the thing any more.
    mutating func endForbiddenTransitions() {
        for (id, transition) in transitions.sorted(by: { $0.key < $1.key }) where !mayGoOn(transition) {
            endTransition(of: id)
        }
    }

    private func mayGoOn(_ transition: Transition) -> Bool {
        transition.command.map { lostRight(of: $0, on: transition.object) == nil } ?? true
    }

    /// Stops a transition at its current values, because a new command or action replaces it, or its sender's right has ended.
    mutating func endTransition(of id: FlareID) {
        guard let transition = transitions.removeValue(forKey: id) else { return }
        effects.append(.stopTimer(.transitionStep(id)))
        forgetGoal(of: id)
        markChanged(transition.object)
        hideIntermediateValues(of: transition)
        merge(
            stored(transition.current, of: transition.object),
            into: transition.object,
            cause: transition.cause
        )
        restingLevels[id] = transition.resting ?? restingLevels[id]
    }

    /// Stops a transition when another client sets one of its values: the newer change wins.
    mutating func yieldTransition(
        of object: ObjectReference,
        to values: JSONObject,
        sender: JSONValue?
    ) {
        guard let transition = transitions[object.id] else { return }
        let goal = stored(transition.goal, of: object)
        guard values.keys.contains(where: { goal[$0] != nil }) else { return }
        // Ignore late echoes of our own changes.
        if let device = state.device, sender?.string == "\(device.id)" { return }
        endTransition(of: object.id)
    }

    /// Drops a transition whose step failed, and reads the server's values.
    mutating func abandonTransition(of id: FlareID) {
        if let transition = transitions.removeValue(forKey: id) {
            effects.append(.stopTimer(.transitionStep(id)))
            forgetGoal(of: id)
            markChanged(transition.object)
            restingLevels[id] = transition.resting ?? restingLevels[id]
        }
        if let environment = state.environmentID { load(.loadPlace(environment: environment)) }
    }

    mutating func forgetGoal(of id: FlareID) {
        state.goals[id] = nil
        state.goalSeconds[id] = nil
    }

    /// Keeps the published values of running transitions when things are read again.
    /// - Parameter things: The things that were read; `nil` for all.
    mutating func keepTransitionValues(_ shown: [FlareID: FlareThing], of things: [FlareID]? = nil) {
        for id in things ?? Array(transitions.keys) {
            guard let transition = transitions[id] else { continue }
            for key in stored(transition.goal, of: transition.object).keys {
                state.things[id]?.data[key] = shown[id]?.data[key]
            }
        }
    }
}
