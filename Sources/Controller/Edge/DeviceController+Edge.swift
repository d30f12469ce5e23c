import Flare
import Things

/// Things at the edge: an order goes to the thing itself, and what it has done or reports goes to the Flare server.
///
/// Where a thing is, and how it is called, belongs to the place: such changes go to the server as ever.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
extension DeviceController {
    mutating func apply(_ event: EdgeEvent, of thing: FlareID) {
        switch event {
        case .routed(let route): routed(thing, route)
        case .status(let isOnline):
            conditionChanged(thing, isOnline.map { ThingCondition(isOnline: $0) })
        case .reported(let values): reported(thing, values)
        case .uploaded(let values, from: let address): uploaded(thing, values, from: address)
        case .answered(let number, let results): edgeAnswered(thing, number, results)
        }
    }

    private mutating func routed(_ thing: FlareID, _ route: EdgeRoute?) {
        let wasAtEdge = state.routes[thing] != nil
        state.routes[thing] = route
        guard wasAtEdge != (route != nil) else { return }
        let object = ObjectReference(.thing, thing)
        let refusal = Refusal.routedElsewhere
        refuse(queues.cutShort(object), refusal)
        failWaiting(for: object, refusal)
        endTransition(of: thing)
        guard wasAtEdge else { return }
        if edge.sent(of: thing) != nil { effects.append(.stopTimer(.edgeDue(thing))) }
        for job in edge.queues.removeAll(of: object) { refuse(job.command, refusal) }
        edge.forget(thing)
        showGoal(of: thing)
        core.conditionChanged(thing, nil)
    }

    /// A thing at the edge that goes offline refuses what was sent to it and what waits; a late answer still counts.
    mutating func conditionChanged(_ thing: FlareID, _ condition: ThingCondition?) {
        core.conditionChanged(thing, condition)
        guard condition?.isOnline == false, let sent = edge.sent(of: thing) else { return }
        edge.beLate(of: thing)
        for job in endAtEdge(sent.number, of: thing) { refuse(job.command, .offline) }
        showGoal(of: thing)
        advanceAtEdge(ObjectReference(.thing, thing))
    }

    // MARK: The end

    /// The server will not store what a thing has done.
    mutating func edgeNotStored(_ object: ObjectReference) {
        edge.forgetDone(of: object.id)
        showGoal(of: object.id)
    }

    /// Refuses all orders; late answers still count.
    mutating func failEdge(_ refusal: Refusal) {
        let things = edge.things
        let (jobs, sent) = edge.end()
        for thing in sent { effects.append(.stopTimer(.edgeDue(thing))) }
        for job in jobs { refuse(job.command, refusal) }
        for thing in things { showGoal(of: thing) }
    }

    /// A thing is no longer here.
    mutating func leaveEdge(_ thing: FlareID) {
        edge.leave(thing)
        showGoal(of: thing)
    }

    /// Shows what the thing has not confirmed yet.
    mutating func showGoal(of thing: FlareID) {
        guard lights.transitions[thing] == nil else { return }
        let goal = state.things[thing] == nil ? nil : edge.goal(of: thing)
        guard state.goals[thing] != goal else { return }
        state.goals[thing] = goal
        core.markChanged(ObjectReference(.thing, thing))
    }
}

extension Refusal {
    static let routedElsewhere = Refusal(.staleTarget, "the thing is reached in another way by now")
    static let offline = Refusal(.thingOffline, "the thing has reported that it is offline")
}
