import Flare
import JSON
import Things

/// The orders for a thing at the edge: one at a time, or those of a batch together, and what the thing answers.
extension DeviceController {
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
        if job.batch != nil {
            edge.gather(for: object)
        } else if edge.queues.isIdle(object) {
            return beginAtEdge([job], on: object)
        }
        let (overtaken, isAppended) = edge.queues.append(job, on: object)
        refuseOvertaken(overtaken)
        if !isAppended { refuseForLack(job, on: object) }
        advanceAtEdge(object)
    }

    mutating func advanceAtEdge(_ object: ObjectReference) {
        guard !edge.isGathering(for: object) else { return }
        while let job = edge.queues.removeNext(of: object) {
            let others = job.batch.map { edge.queues.removeNext(of: object, in: $0) } ?? []
            beginAtEdge([job] + others, on: object)
        }
    }

    /// Sends the batches of this event, and goes on until slices ask for nothing more.
    mutating func sendBatches() {
        while edge.isGathering {
            for object in edge.endGathering() { advanceAtEdge(object) }
            if !sliceWork.isEmpty { performSliceWork() }
        }
    }

    /// Sends jobs as one order, each with the values of those before it.
    private mutating func beginAtEdge(_ jobs: [Job], on object: ObjectReference) {
        let batch = jobs.first?.batch
        guard let wait = edgeWait(of: batch, on: object) else {
            for job in jobs {
                refuse(job.command, lostRight(of: job, on: object) ?? edgeRefusal(on: object))
            }
            return
        }
        let number = edge.nextNumber(at: now)
        let before = state.data(of: object) ?? [:]
        var data = dataAtEdge(of: object)
        var sent: [Job] = []
        var open = OpenEdgeOrder(number: number, parts: [], wait: wait, due: now.later(by: wait))
        for var job in jobs {
            if let refusal = lostRight(of: job, on: object) {
                refuse(job.command, refusal)
                continue
            }
            let action: String? = if case .action(let name) = job.work { name } else { nil }
            let (order, goal) = edgeOrder(for: &job, on: object, data)
            guard let order else {
                // Nothing is to be done, but what was done before is accepted before it.
                job.work = .done(EdgeDone(number: number, order: .values([:]), action: action))
                if sent.isEmpty { enqueue(job, on: object) } else { sent.append(job) }
                continue
            }
            if case .values(let values) = order { data.merge(values) { $1 } }
            open.parts.append(
                OpenEdgeOrder.Part(
                    index: open.parts.count,
                    order: order,
                    action: action,
                    cause: job.cause,
                    goal: goal
                )
            )
            sent.append(job)
        }
        guard let first = sent.first, let order = open.parts.first?.order else { return }
        // What is so already is no target.
        open.isReached = open.isLike(before)
        edge.add(open, of: object.id)
        effects.append(
            .edge(
                EdgeOrder(
                    number: number,
                    thing: object.id,
                    orders: open.parts.map(\.order),
                    batch: batch?.id,
                    caller: first.command?.command.caller,
                    deadline: open.due.wallMilliseconds
                )
            )
        )
        effects.append(.startTimer(.edgeDue(object.id), milliseconds: wait))
        edge.queues.begin(sent, SentOrder(order: order, way: .edge(number)), on: object)
        showGoal(of: object.id)
    }

    /// How long an order that is sent now waits for its answer, milliseconds; `nil` if it must not be sent.
    private func edgeWait(of batch: EdgeBatch?, on object: ObjectReference) -> Int64? {
        guard let route = state.routes[object.id], state.conditions[object.id]?.isOnline != false else {
            return nil
        }
        return if let batch { batch.wait(at: now) } else { route.waitMilliseconds }
    }

    /// Why no order is sent.
    private func edgeRefusal(on object: ObjectReference) -> Refusal {
        if state.routes[object.id] == nil { return .routedElsewhere }
        return state.conditions[object.id]?.isOnline == false ? .offline : .overdue
    }

    /// What a thing is asked for, and what that leads to; nothing if there is nothing to do.
    ///
    /// - Parameter data: The thing's data before.
    private mutating func edgeOrder(
        for job: inout Job,
        on object: ObjectReference,
        _ data: JSONObject
    ) -> (order: ObjectOrder?, goal: ThingPatch) {
        let shape = shape(of: object)
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
    func dataAtEdge(of object: ObjectReference) -> JSONObject {
        var data = state.data(of: object) ?? [:]
        if let values = edge.unstored(of: object.id) {
            data.merge(values.reported) { $1 }
            data.merge(values.done) { $1 }
        }
        for values in queues[object]?.jobs.compactMap(\.outcome) ?? [] { data.merge(values) { $1 } }
        return data
    }

    // MARK: Answers

    mutating func edgeAnswered(
        _ thing: FlareID,
        _ number: Int,
        _ results: [Result<JSONValue?, Refusal>]
    ) {
        let object = ObjectReference(.thing, thing)
        guard let parts = edge.answered(number, of: thing, results) else { return }
        let ended = endAtEdge(number, of: thing)
        var jobs = ended[...]
        for part in parts {
            let command = jobs.popFirst()?.command
            switch part.result(in: results) {
            case .success(let data):
                let done = EdgeDone(
                    number: number,
                    index: part.index,
                    order: part.order,
                    action: part.action,
                    data: data
                )
                if case .values(let values) = part.order,
                    !state.isLinkUp || edge.unstored(of: thing) != nil
                {
                    edge.keep(values, of: thing, isReported: false)
                }
                if state.isLinkUp {
                    enqueue(Job(work: .done(done), command: command, cause: part.cause), on: object)
                } else {
                    refuse(command, .unreachable)
                }
            case .failure(let refusal):
                refuse(command, refusal)
            }
            // What has had nothing to do since.
            while case .done? = jobs.first?.work, let job = jobs.popFirst() { enqueue(job, on: object) }
        }
        if !state.isLinkUp { edge.forgetDone(of: thing) }
        showGoal(of: thing)
        if !ended.isEmpty { advanceAtEdge(object) }
    }

    /// Ends the jobs that wait for the answer to an order; none if nobody waits for it.
    mutating func endAtEdge(_ number: Int, of thing: FlareID) -> [Job] {
        let ended = edge.queues.endAll(.edge(number), on: ObjectReference(.thing, thing))
        if !ended.isEmpty { effects.append(.stopTimer(.edgeDue(thing))) }
        return ended
    }

    /// The time for an answer is over; a late one still counts.
    mutating func edgeDue(_ thing: FlareID) {
        let object = ObjectReference(.thing, thing)
        guard let sent = edge.sent(of: thing), now.milliseconds(since: sent.due) >= 0 else { return }
        let jobs = edge.queues.endAll(.edge(sent.number), on: object)
        guard !jobs.isEmpty else { return }
        edge.beLate(of: thing)
        let seconds = JSONValue.number(Double(sent.wait) / 1000)
        let refusal = Refusal(.thingOffline, "the thing did not answer within \(seconds) s")
        for job in jobs { refuse(job.command, refusal) }
        showGoal(of: thing)
        advanceAtEdge(object)
    }

    /// What a thing has done is stored.
    mutating func stored(_ done: EdgeDone, of object: ObjectReference) {
        if done.index == nil, case .values(let values) = done.order, !values.isEmpty {
            // It was kept while the server was away; its order is forgotten since.
            return stored(report: values, of: object)
        }
        edge.stored(done, of: object.id)
        showGoal(of: object.id)
    }
}

extension Refusal {
    fileprivate static let overdue = Refusal(
        .thingOffline,
        "the time for this was over before it could be sent to the thing"
    )
}

extension Answer.Warning {
    /// A thing at the edge does not fade.
    static let transitionAtEdge = Answer.Warning(
        field: "transition",
        message: "this thing goes to the values at once: it is sent no steps between"
    )
}
