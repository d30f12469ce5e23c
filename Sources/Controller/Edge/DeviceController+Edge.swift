import Flare
import JSON
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
        case .answered(let number, .success(let data)): edgeDone(thing, number, data)
        case .answered(let number, .failure(let refusal)): edgeRefused(thing, number, refusal)
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
        refuse(endAtEdge(sent.number, of: thing)?.command, .offline)
        showGoal(of: thing)
        advanceAtEdge(ObjectReference(.thing, thing))
    }

    // MARK: Orders

    /// Whether a job is for a thing at the edge, and not for the Flare server.
    func goesToEdge(_ work: Job.Work, of object: ObjectReference) -> Bool {
        guard object.kind == .thing, state.routes.index(forKey: object.id) != nil else { return false }
        switch work {
        case .write: return true
        case .action(let name):
            return !(state.things[object.id].map { ThingShape.moves($0, action: name) } ?? false)
        case .step, .position, .name, .report, .done: return false
        }
    }

    mutating func enqueueAtEdge(_ job: Job, on object: ObjectReference) {
        guard !edge.queues.isIdle(object) else { return beginAtEdge(job, on: object) }
        let (overtaken, isAppended) = edge.queues.append(job, on: object)
        refuseOvertaken(overtaken)
        if !isAppended { refuseForLack(job, on: object) }
        advanceAtEdge(object)
    }

    private mutating func advanceAtEdge(_ object: ObjectReference) {
        while let job = edge.queues.removeNext(of: object) { beginAtEdge(job, on: object) }
    }

    private mutating func beginAtEdge(_ job: consuming Job, on object: ObjectReference) {
        if let refusal = lostRight(of: job, on: object) { return refuse(job.command, refusal) }
        guard let route = state.routes[object.id] else { return refuse(job.command, .routedElsewhere) }
        guard state.conditions[object.id]?.isOnline != false else { return refuse(job.command, .offline) }
        let action: String? = if case .action(let name) = job.work { name } else { nil }
        let (order, goal) = edgeOrder(for: &job, on: object)
        let number = edge.nextNumber(at: now)
        guard let order else {
            // Nothing is to be done, but what was done before is accepted before it.
            job.work = .done(EdgeDone(number: number, order: .values([:]), action: action))
            return enqueue(job, on: object)
        }
        var open = EdgeQueues.Open(
            number: number,
            order: order,
            action: action,
            cause: job.cause,
            due: now.later(by: route.waitMilliseconds),
            goal: goal
        )
        // What is so already is no target.
        if open.isLike(state.data(of: object) ?? [:]) { open.goal = ThingPatch() }
        edge.add(open, of: object.id)
        effects.append(
            .edge(
                EdgeOrder(
                    number: number,
                    thing: object.id,
                    orders: [order],
                    caller: job.command?.command.caller,
                    deadline: open.due.wallMilliseconds
                )
            )
        )
        effects.append(.startTimer(.edgeDue(object.id), milliseconds: route.waitMilliseconds))
        edge.queues.begin(job, SentOrder(order: order, way: .edge(number)), on: object)
        showGoal(of: object.id)
    }

    /// What a thing is asked for, and what that leads to; nothing if there is nothing to do.
    private mutating func edgeOrder(
        for job: inout Job,
        on object: ObjectReference
    ) -> (order: ObjectOrder?, goal: ThingPatch) {
        let (shape, data) = (shape(of: object), dataAtEdge(of: object))
        switch job.work {
        case .write(let patch, let seconds):
            var goal = resolved(patch, for: &job, on: object, shape, data)
            // The thing keeps its brightness itself while it is off.
            _ = removeRestoredLevel(of: &goal, object)
            if let seconds, seconds > 0 { job.command?.warnings.append(.transitionAtEdge) }
            job.work = .write(goal, transition: nil)
            return (storing(shape?.stored(goal, in: data) ?? goal.values), goal)
        case .action(let name):
            guard var thing = state.things[object.id], let shape else { break }
            thing.data = data
            let resting = lights.restingLevels[object.id]
            guard let outcome = ActionOutcome(of: name, on: thing, shape, resting: resting) else { break }
            job.command?.accepted.merge(outcome.shown) { own, _ in own }
            if var patch = outcome.patch {
                _ = removeRestoredLevel(of: &patch, object)
                return (storing(shape.stored(patch, in: data)), patch)
            }
            let effect = BuiltInAction(rawValue: name)?.effect(position: thing.position, data: data)
            guard case .data(let key, let value)? = effect, !value.isNull else { break }
            let light = ThingPatch(shape.light(of: [key: value]))
            return (.values([key: value]), light.isEmpty ? ThingPatch(values: [key: value]) : light)
        case .step, .position, .name, .report, .done:
            break
        }
        if case .action(let name) = job.work { return (.action(name), ThingPatch()) }
        return (nil, ThingPatch())
    }

    /// A thing's data with what it has done and reported, whether or not the server has stored that.
    private func dataAtEdge(of object: ObjectReference) -> JSONObject {
        var data = state.data(of: object) ?? [:]
        guard let queue = queues[object] else { return data }
        for job in [queue.running].compactMap(\.self) + queue.waiting {
            switch job.work {
            case .report(let values): data.merge(values) { $1 }
            case .done(let done):
                if case .values(let values) = done.order { data.merge(values) { $1 } }
            case .write, .step, .action, .position, .name: break
            }
        }
        return data
    }

    // MARK: Answers

    private mutating func edgeDone(_ thing: FlareID, _ number: Int, _ data: JSONValue?) {
        let object = ObjectReference(.thing, thing)
        guard let open = edge.done(number, of: thing) else { return }
        let ended = endAtEdge(number, of: thing)
        guard state.isLinkUp else {
            edge.forgetDone(of: thing)
            showGoal(of: thing)
            return
        }
        let done = EdgeDone(number: number, order: open.order, action: open.action, data: data)
        enqueue(Job(work: .done(done), command: ended?.command, cause: open.cause), on: object)
        if ended != nil { advanceAtEdge(object) }
    }

    private mutating func edgeRefused(_ thing: FlareID, _ number: Int, _ refusal: Refusal) {
        guard edge.remove(number, of: thing) else { return }
        showGoal(of: thing)
        guard let ended = endAtEdge(number, of: thing) else { return }
        refuse(ended.command, refusal)
        advanceAtEdge(ObjectReference(.thing, thing))
    }

    /// Ends the job that waits for the answer to an order; `nil` if none does.
    private mutating func endAtEdge(_ number: Int, of thing: FlareID) -> Job? {
        guard let ended = edge.queues.end(.edge(number), on: ObjectReference(.thing, thing)) else {
            return nil
        }
        effects.append(.stopTimer(.edgeDue(thing)))
        return ended.job
    }

    /// The time for an answer is over; a late one still counts.
    mutating func edgeDue(_ thing: FlareID) {
        let object = ObjectReference(.thing, thing)
        guard let sent = edge.sent(of: thing), now.milliseconds(since: sent.due) >= 0,
            let (job, _) = edge.queues.end(.edge(sent.number), on: object)
        else { return }
        edge.beLate(of: thing)
        let seconds = JSONValue.number(Double(state.routes[thing]?.waitMilliseconds ?? 0) / 1000)
        refuse(job.command, Refusal(.thingOffline, "the thing did not answer within \(seconds) s"))
        showGoal(of: thing)
        advanceAtEdge(object)
    }

    // MARK: Reports

    /// Stores what a thing has reported at the server, once earlier changes are stored; nothing while that is not connected.
    private mutating func reported(_ thing: FlareID, _ values: JSONObject) {
        guard state.isLinkUp else { return }
        let own = values.filter { key, value in
            // What identifies a thing, or names its profile, is the place's.
            !value.isNull && !key.contains(".") && DataPath(key) != nil && !DataKey.isFixed(key)
        }
        guard !own.isEmpty else { return }
        let job = Job(work: .report(own), command: nil, cause: ChangeEvent.Cause("link"))
        enqueue(job, on: ObjectReference(.thing, thing))
    }

    /// What is new in a report, with `readonly` where the thing reports more than what may be set.
    func news(of values: JSONObject, on object: ObjectReference) -> JSONObject {
        // Of a thing in another environment nothing is known here.
        guard let thing = state.things[object.id] else { return values }
        var news = values.filter {
            !DataKey.isFixed($0.key, in: thing.data) && thing.data[$0.key] != $0.value
        }
        guard state.kind(of: thing) == nil else { return news }
        let settable = state.routes[object.id]?.settable ?? EdgeRoute.settable
        let known = DataKey.reported(in: thing.data)
        let more = values.keys.filter {
            !settable.contains($0) && !known.contains($0) && !DataKey.isFixed($0, in: thing.data)
        }
        if !more.isEmpty {
            let listed = thing.data["readonly"]?.array ?? []
            news["readonly"] = .array(listed + more.sorted().map { .string($0) })
        }
        return news
    }

    /// The values that a client of the Flare server has stored in a thing's data are an order for the thing, too.
    ///
    /// If that fails, the thing's next report corrects the data.
    /// - Parameter old: The data before.
    mutating func follow(
        _ values: JSONObject,
        on object: ObjectReference,
        old: JSONObject,
        sender: JSONValue?
    ) {
        guard state.routes.index(forKey: object.id) != nil, object.kind == .thing,
            state.device.map({ sender?.string != "\($0.id)" }) ?? true
        else { return }
        let reported = DataKey.reported(in: old)
        let wanted = values.filter { key, value in
            !value.isNull && !key.contains(".") && !DataKey.isFixed(key, in: old) && !reported.contains(key)
                && old[key] != value
        }
        guard !wanted.isEmpty else { return }
        let work = Job.Work.write(ThingPatch(values: wanted), transition: nil)
        enqueueAtEdge(Job(work: work, command: nil, cause: ChangeEvent.Cause("server")), on: object)
    }

    /// What a thing has done is stored.
    mutating func stored(_ done: EdgeDone, of object: ObjectReference) {
        edge.stored(done, of: object.id)
        showGoal(of: object.id)
    }

    /// What a thing has reported is stored.
    mutating func stored(report values: JSONObject, of object: ObjectReference) {
        edge.reported(values, data: state.data(of: object) ?? [:], of: object.id)
        showGoal(of: object.id)
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
    private mutating func showGoal(of thing: FlareID) {
        guard lights.transitions[thing] == nil else { return }
        let goal = state.things[thing] == nil ? nil : edge.goal(of: thing)
        guard state.goals[thing] != goal else { return }
        state.goals[thing] = goal
        core.markChanged(ObjectReference(.thing, thing))
    }
}

extension Refusal {
    fileprivate static let routedElsewhere = Refusal(
        .staleTarget,
        "the thing is reached in another way by now"
    )
    fileprivate static let offline = Refusal(.thingOffline, "the thing has reported that it is offline")
}

extension Answer.Warning {
    /// A thing at the edge does not fade.
    static let transitionAtEdge = Answer.Warning(
        field: "transition",
        message: "this thing goes to the values at once: it is sent no steps between"
    )
}
