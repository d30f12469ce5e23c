import Flare
import Things

/// A change of a thing that is spread over a time.
struct Transition: Sendable {
    let object: ObjectReference
    let start: [String: JSONValue]
    let goal: [String: JSONValue]
    let began: Moment
    let milliseconds: Double
    let cause: ChangeEvent.Cause
    /// What the server was last told.
    var current: [String: JSONValue]
}

/// Changes over a time: the server is told ten values a second, readers only the goal, and each value when it is reached.
extension DeviceController {
    private static var stepMilliseconds: Int64 { 100 }

    /// Starts a transition.
    /// - Returns: The first values to store.
    mutating func beginTransition(
        of object: ObjectReference,
        to goal: [String: JSONValue],
        seconds: Double,
        cause: ChangeEvent.Cause
    ) -> [String: JSONValue] {
        let data = state.things[object.id]?.data ?? [:]
        let start = data.filter { goal[$0.key] != nil }
        let first = ThingSetting.interpolated(from: start, to: goal, fraction: 0)
        transitions[object.id] = Transition(
            object: object,
            start: start,
            goal: goal,
            began: now,
            milliseconds: seconds * 1000,
            cause: cause,
            current: first
        )
        state.goals[object.id] = goal
        state.goalSeconds[object.id] = seconds
        touch(object)
        return first
    }

    /// A step is stored: wait for the next, or show the end.
    mutating func stepped(
        _ object: ObjectReference,
        values: [String: JSONValue],
        isLast: Bool,
        cause: ChangeEvent.Cause
    ) {
        if let transition = transitions[object.id], !isLast {
            // What is not on its way is there: a light that fades in is on.
            merge(values.filter { transition.goal[$0.key] == $0.value }, into: object, cause: cause)
            effects.append(.startTimer(.transitionStep(object.id), milliseconds: Self.stepMilliseconds))
            return
        }
        if transitions.removeValue(forKey: object.id) != nil {
            forgetGoal(of: object.id)
            touch(object)
        }
        merge(values, into: object, cause: cause)
    }

    mutating func stepTransition(of id: FlareID) {
        guard let transition = transitions[id] else { return }
        let elapsed = Double(now.milliseconds(since: transition.began))
        let isLast = elapsed >= transition.milliseconds
        let values =
            isLast
            ? transition.goal
            : ThingSetting.interpolated(
                from: transition.start,
                to: transition.goal,
                fraction: elapsed / transition.milliseconds
            )
        guard isLast || values != transition.current else {
            effects.append(.startTimer(.transitionStep(id), milliseconds: Self.stepMilliseconds))
            return
        }
        transitions[id]?.current = values
        enqueue(
            Job(work: .step(values, isLast: isLast), command: nil, cause: transition.cause),
            on: transition.object
        )
    }

    /// Something new is wanted of a thing: its transition stays where it is.
    mutating func endTransition(of id: FlareID) {
        guard let transition = transitions.removeValue(forKey: id) else { return }
        effects.append(.stopTimer(.transitionStep(id)))
        forgetGoal(of: id)
        touch(transition.object)
        merge(transition.current, into: transition.object, cause: transition.cause)
    }

    /// Somebody else has set what a transition is about to change: theirs is the newer wish.
    mutating func yieldTransition(
        of object: ObjectReference,
        to values: [String: JSONValue],
        sender: JSONValue?
    ) {
        guard let transition = transitions[object.id],
            values.keys.contains(where: { transition.goal[$0] != nil })
        else { return }
        // Our own changes can come back late.
        if let device = state.device, sender?.string == "\(device.id)" { return }
        endTransition(of: object.id)
    }

    /// A step failed, or will never be answered: what the server has is what counts.
    mutating func abandonTransition(of id: FlareID) {
        if let transition = transitions.removeValue(forKey: id) {
            effects.append(.stopTimer(.transitionStep(id)))
            forgetGoal(of: id)
            touch(transition.object)
        }
        if let environment = state.environmentID { load(.loadPlace(environment: environment)) }
    }

    mutating func forgetGoal(of id: FlareID) {
        state.goals[id] = nil
        state.goalSeconds[id] = nil
    }

    /// The place was read in the middle of transitions: the values on their way are not shown.
    mutating func holdBackTransitions(_ shown: [FlareID: FlareThing]) {
        for (id, transition) in transitions {
            for key in transition.goal.keys { state.things[id]?.data[key] = shown[id]?.data[key] }
        }
    }
}
