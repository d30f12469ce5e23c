import Flare
import JSON
import Things

/// Rule 4: an object's changes are sent one at a time, and published once the server confirms them.
extension DeviceController {
    /// Appends a job to the object's queue and refuses the waiting jobs that it supersedes.
    mutating func enqueue(_ job: Job, on object: ObjectReference) {
        if !state.routes.isEmpty, goesToEdge(job.work, of: object) { return enqueueAtEdge(job, on: object) }
        guard !queues.isIdle(object) else { return begin(job, on: object) }
        let (overtaken, isAppended) = queues.append(job, on: object)
        refuseOvertaken(overtaken)
        if !isAppended { refuseForLack(job, on: object) }
        advance(object)
    }

    mutating func refuseOvertaken(_ jobs: [Job]) {
        for job in jobs {
            refuse(job.command, Refusal(.superseded, "a newer command for the same field came in time"))
        }
    }

    /// Refuses a job for which its queue has no room.
    mutating func refuseForLack(_ job: Job, on object: ObjectReference) {
        if case .done = job.work { edgeNotStored(object) }
        refuse(
            job.command,
            Refusal(
                .rateLimited,
                "\(ObjectQueue.capacity) commands for this \(object.kind.rawValue) are waiting already"
            )
        )
    }

    /// Starts the next job unless one is running.
    private mutating func advance(_ object: ObjectReference) {
        while let job = queues.removeNext(of: object) { begin(job, on: object) }
    }

    private mutating func begin(_ job: consuming Job, on object: ObjectReference) {
        if let refusal = lostRight(of: job, on: object) { return refuse(job.command, refusal) }
        guard let order = order(for: &job, on: object) else { return finish(job, on: object, nil) }
        let request = FlareRequest(
            order,
            of: object,
            sender: state.device?.id,
            isReport: job.work.isReport
        )
        queues.begin(job, SentOrder(order: order, way: .flare(request)), on: object)
        effects.append(.flare(request))
    }

    /// Why a job is not begun: it may have waited for longer than the right of its sender lasted.
    func lostRight(of job: Job, on object: ObjectReference) -> Refusal? {
        guard let command = job.command?.command, command.event != core.event else { return nil }
        if case .done = job.work { return nil }
        return lostRight(of: command, on: object)
    }

    /// What a job asks for; `nil` if there is nothing to send yet.
    private mutating func order(for job: inout Job, on object: ObjectReference) -> ObjectOrder? {
        switch job.work {
        case .write(let patch, let seconds):
            // End the transition first: a toggle depends on the values it has reached.
            endTransition(of: object.id)
            let (shape, data) = (shape(of: object), state.data(of: object) ?? [:])
            var goal = resolved(patch, for: &job, on: object, shape, data)
            guard let seconds, seconds > 0 else {
                if let restored = removeRestoredLevel(of: &goal, object) { job.rest.insert(restored, at: 0) }
                return storing(shape?.stored(goal, in: data) ?? goal.values)
            }
            let first = beginTransition(
                of: object,
                to: goal,
                seconds: seconds,
                cause: job.cause,
                by: job.command?.command
            )
            job.work = .step(first, isLast: false)
            return first.isEmpty ? nil : storing(stored(first, of: object))
        case .step(let patch, _):
            return storing(stored(patch, of: object))
        case .action(let name):
            endTransition(of: object.id)
            if let thing = state.things[object.id],
                let outcome = ActionOutcome(
                    of: name,
                    on: thing,
                    state.shape(of: thing),
                    resting: lights.restingLevels[object.id]
                )
            {
                job.command?.accepted.merge(outcome.shown) { own, _ in own }
                if var patch = outcome.patch {
                    if let restored = removeRestoredLevel(of: &patch, object) {
                        job.rest.insert(restored, at: 0)
                    }
                    return storing(stored(patch, of: object))
                }
            }
            if state.device != nil {
                let (position, data) = (state.things[object.id]?.position, state.data(of: object) ?? [:])
                queues.echoes.expect(
                    name,
                    on: object,
                    position: position,
                    data: data,
                    cause: job.cause,
                    at: now
                )
            }
            return .action(name)
        case .position(let position):
            return .position(position)
        case .name(let name, let environment):
            return .name(name, environment: environment)
        case .report(let values):
            return storing(news(of: values, on: object))
        case .done(let done):
            guard case .values(let values) = done.order else { return nil }
            let data = state.data(of: object)
            return storing(values.filter { data?[$0.key] != $0.value })
        }
    }

    /// A change without toggles; what came out is told in the answer.
    mutating func resolved(
        _ patch: ThingPatch,
        for job: inout Job,
        on object: ObjectReference,
        _ shape: ThingShape?,
        _ data: JSONObject
    ) -> ThingPatch {
        guard let shape else { return patch }
        let goal = shape.resolved(patch, on: data, resting: lights.restingLevels[object.id])
        let news = goal.news(over: patch)
        if !news.isEmpty { job.command?.accepted.merge(shape.shown(news, on: data)) { $1 } }
        return goal
    }

    /// The order that stores values; `nil` if there are none.
    func storing(_ values: JSONObject) -> ObjectOrder? { values.isEmpty ? nil : .values(values) }

    /// The shape of a thing; `nil` for what is none.
    func shape(of object: ObjectReference) -> ThingShape? {
        guard object.kind == .thing else { return nil }
        return state.shape(of: state.things[object.id] ?? FlareThing(id: object.id))
    }

    /// A change as it is stored in an object's data.
    func stored(_ patch: ThingPatch, of object: ObjectReference) -> JSONObject {
        shape(of: object)?.stored(patch, in: state.data(of: object) ?? [:]) ?? patch.values
    }

    /// Removes the brightness that a light going off gets back.
    ///
    /// It is stored after the light is off, so that the restored level is never visible. A light that is off at a
    /// brightness of 0 gets none back before it is on.
    func removeRestoredLevel(of patch: inout ThingPatch, _ object: ObjectReference) -> Job.Work? {
        guard patch.state == .off, let level = patch.level, shape(of: object)?.hasOwnState ?? true else {
            return nil
        }
        patch.level = nil
        return .write(ThingPatch(level: level), transition: nil)
    }

    /// An object's data as it will be once all queued jobs are done.
    func expectedData(of object: ObjectReference, now data: JSONObject) -> JSONObject {
        let (queue, transition) = (queues[object], lights.transitions[object.id])
        let edgeQueue = state.routes.isEmpty ? nil : edge.queues[object]
        guard queue != nil || transition != nil || edgeQueue != nil else { return data }
        var data = data
        let shape = shape(of: object)
        if let transition { data.merge(stored(transition.goal, of: object)) { $1 } }
        for queue in [queue, edgeQueue].compactMap(\.self) {
            for job in queue.jobs {
                switch job.work {
                case .write(let patch, _):
                    data = shape?.changed(data, by: patch) ?? data.merging(patch.values) { $1 }
                case .done(let done):
                    if case .values(let values) = done.order { data.merge(values) { $1 } }
                case .step, .action, .position, .name, .report: break
                }
            }
        }
        return data
    }

    /// A thing with that data.
    func expected(_ thing: FlareThing) -> FlareThing {
        var expected = thing
        expected.data = expectedData(of: ObjectReference(.thing, thing.id), now: thing.data)
        return expected
    }

    /// Handles the server's reply to the object's running job.
    mutating func jobAnswered(
        _ request: FlareRequest,
        on object: ObjectReference,
        _ result: Result<FlareReply, FlareLinkError>
    ) {
        guard case (var job, let order)? = queues.end(.flare(request), on: object) else {
            // The reply to a position sent outside the queue, or to a cancelled job.
            if case .failure(.unknownObject(let object)) = result { readAgain(object) }
            return
        }
        switch result {
        case .success where job.rest.isEmpty:
            // An event or two, the answer and its record.
            effects.reserveCapacity(4)
            finish(job, on: object, order)
        case .success:
            store(job, on: object, order)
            job.work = job.rest.removeFirst()
            begin(job, on: object)
        case .failure(let error):
            refuse(job.command, Refusal(error, in: state))
            if case .step = job.work { abandonTransition(of: object.id) }
            if case .action = job.work { queues.echoes.forgetLast(of: object) }
            if case .done = job.work { edgeNotStored(object) }
            switch error {
            case .unknownObject(let object): readAgain(object)
            // The server may have carried out the request nevertheless.
            case .timedOut:
                // It gets it again once that is read.
                if state.isKnown(object) { keep(job, on: object) }
                readAgain(object)
            case .unreachable, .rejected, .notAllowed: break
            }
        }
        advance(object)
    }

    mutating func finish(_ job: Job, on object: ObjectReference, _ order: ObjectOrder?) {
        store(job, on: object, order)
        guard let pending = job.command else { return }
        if case .done(let done) = job.work { accept(pending, data: done.data) } else { accept(pending) }
    }

    /// Applies to the state what the server has stored or done.
    private mutating func store(_ job: Job, on object: ObjectReference, _ order: ObjectOrder?) {
        switch job.work {
        case .write:
            guard case .values(let values)? = order else { return }
            merge(values, into: object, cause: job.cause)
            // The server has stored this brightness, whether or not it is a change.
            if lights.restingLevels[object.id] != nil,
                let level = shape(of: object)?.light(of: values).level, level > 0
            {
                lights.restingLevels[object.id] = nil
            }
        case .step(let patch, let isLast):
            var stored = JSONObject()
            if case .values(let values)? = order { stored = values }
            stepped(object, patch, stored: stored, isLast: isLast, cause: job.cause)
        case .action(let name):
            if case .values(let values)? = order { merge(values, into: object, cause: job.cause) }
            core.emitAction(name, on: object, cause: job.cause)
        case .position(let position):
            guard object.id == state.device?.id, !sync.isPositionUnconfirmed else { return }
            positionGiven(.good, by: "command")
            core.moveDevice(to: position, cause: job.cause)
            presence.update(in: &core, cause: job.cause, isExact: true)
        case .name(let name, _):
            renamed(object.id, name, cause: job.cause)
        case .report(let values):
            if case .values(let news)? = order { merge(news, into: object, cause: job.cause) }
            stored(report: values, of: object)
        case .done(let done):
            if case .values(let values)? = order { merge(values, into: object, cause: job.cause) }
            if let action = done.action { core.emitAction(action, on: object, cause: job.cause) }
            stored(done, of: object)
        }
    }

    private mutating func renamed(_ device: FlareID, _ name: String, cause: ChangeEvent.Cause) {
        guard let before = state.device, before.id == device, before.name != name else { return }
        state.device?.name = name
        let reference = ObjectReference(.device, device)
        state.changedAt[reference] = now
        changes.insert(.device)
        let names = (old: JSONValue.string(before.name), new: JSONValue.string(name))
        let difference = ObjectDifference(before: ["name": names.old], after: ["name": names.new])
        core.emit(difference, of: reference, cause: cause)
    }

    /// Reads an object again when the server may have other data or no longer knows it.
    private mutating func readAgain(_ object: ObjectReference) {
        guard let environment = state.environmentID, state.isKnown(object) else { return }
        if object.kind == .device {
            core.load(.loadDevice(object.id, environment: environment))
        } else {
            core.load(.loadPlace(environment: environment))
        }
    }

    // MARK: Cancellation

    /// Refuses all jobs, because no reply will come.
    mutating func failQueues(_ refusal: Refusal) {
        queues.echoes.removeAll()
        for edit in pending.removeEdits() { refuse(edit, refusal) }
        keepUnstored()
        for job in queues.removeAll() { refuse(job.command, refusal) }
        failEdge(refusal)
    }

    /// Refuses jobs that were not sent when the environment is left; sent jobs still get their reply.
    mutating func leaveQueues() {
        let refusal = Refusal(.staleTarget, "the environment was left before this could be done")
        for object in queues.objects {
            refuse(queues.cutShort(object), refusal)
            failWaiting(for: object, refusal)
        }
        for object in edge.queues.objects { failWaiting(for: object, refusal) }
    }

    mutating func failWaiting(for object: ObjectReference, _ refusal: Refusal) {
        for job in queues.removeWaiting(of: object) { refuse(job.command, refusal) }
        for job in edge.queues.removeWaiting(of: object) { refuse(job.command, refusal) }
    }
}
