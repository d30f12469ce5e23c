import Accounts
import Bindings
import Controller
import DequeModule
import Flare
import JSON
import People
import Text
import Things

/// The life of commands: they begin, their parts are given and answered, and they end.
extension BindingsSlice {
    // MARK: The beginning

    /// Stores a command and gives its first parts.
    ///
    /// Before that only rights and the thing can refuse it; everything later is a result.
    mutating func begin(
        _ run: RunActions,
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect] {
        let binding = try binding(of: run, command, in: core, at: now)
        guard open[binding.id, default: 0] < ThingCommand.maximumOpen else {
            throw Refusal(
                .rateLimited,
                "the thing has \(ThingCommand.maximumOpen) commands that have not ended; try again later"
            )
        }
        let created = now.wallMilliseconds
        let issuer: Grantee? =
            if let origin = run.origin { origin.issuer } else { command.caller.flatMap(Grantee.init(user:)) }
        let (deadline, _) = created.addingReportingOverflow(milliseconds)
        var stored = StoredThingCommand(
            ThingCommand(
                run.id,
                of: binding.id,
                run.request,
                issuer: issuer,
                created: created,
                deadline: deadline
            ),
            for: binding.thing,
            interface: run.origin?.interface ?? command.actor.interfaceName,
            caller: run.origin?.speaker ?? command.caller.map(core.people.logName) ?? "nobody"
        )
        (stored.slug, stored.epoch) = (core.slugs[.thing, binding.thing], core.epoch)
        (stored.source, stored.tx) = (command.source, command.tx?.text)
        var effects: [SliceEffect] = [
            .perform(.remember(.slice(SliceRecord(stored)))),
            .perform(.startTimer(Self.timer(.due(run.id)), milliseconds: milliseconds)),
        ]
        stored.isNew = false
        running[run.id] = Running(
            stored: stored,
            isAtEdge: core.routes[binding.thing] != nil,
            whole: command,
            isAnsweredAtEnd: run.origin == nil
        )
        open[binding.id, default: 0] += 1
        fresh.insert(run.id)
        if run.origin != nil { effects.append(.accept(["commandID": .string(run.id)])) }
        giveNext(of: run.id, in: core, &effects)
        return effects
    }

    /// The binding that a command is for, if its caller may command it.
    private func binding(
        of run: RunActions,
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> Bound {
        if let origin = run.origin {
            guard let binding = bound[origin.thing], binding.id == origin.binding else {
                throw Refusal(.unknownThing, "the thing is not linked to one of the place any more")
            }
            guard binding.isOwned else { throw .noOwner(run.thing) }
            return binding
        }
        let thing = try core.thing(named: run.thing, in: core.contents, for: command, at: now)
        guard let binding = bound[thing.id], binding.isOwned else { throw .noOwner(run.thing) }
        let object = ObjectReference(.thing, thing.id)
        guard let caller = command.caller, let place = core.accessObject(object) else {
            throw Refusal(.unknownThing, "the thing is not here any more")
        }
        let verdict = core.people.verdict(of: caller, .write, on: place, at: now.wallMilliseconds)
        if case .refused(let reason) = verdict {
            throw Refusal(.notAllowed, "you may not write thing \(QuotedValue.of(run.thing)): \(reason)")
        }
        return binding
    }

    // MARK: Parts

    /// Gives the next part of a command, or all of them to a thing at the edge.
    mutating func giveNext(of id: String, in core: ControllerState, _ effects: inout [SliceEffect]) {
        guard let command = running[id], command.stored.command.state.isOpen, let whole = command.whole else {
            return
        }
        let actions = command.stored.command.request.actions
        guard command.next < actions.count else { return }
        // One after the other: in the queue for the server a later set may replace an earlier one.
        let isGiven = command.stored.command.results[..<command.next].contains { $0 == nil }
        guard command.isAtEdge || !isGiven else { return }
        let end = command.isAtEdge ? actions.count : command.next + 1
        running[id]?.next = end
        for index in command.next..<end {
            lastTicket -= 1
            parts[lastTicket] = Part(
                id: id,
                action: index,
                name: actions[index].name,
                isLast: end == actions.count
            )
            let part = Command(
                ticket: lastTicket,
                operation: core.operation(for: actions[index], on: command.stored.target),
                tx: whole.tx,
                actor: whole.actor,
                caller: whole.caller,
                source: whole.source,
                owner: Self.self,
                batch: command.isAtEdge
                    ? EdgeBatch(id: id, deadline: command.stored.command.deadline) : nil
            )
            effects.append(.execute(part))
        }
    }

    /// Counts the answer to a part.
    mutating func settle(_ part: Part, _ answer: Answer, at now: Instant) -> [SliceEffect] {
        guard let refusal = answer.refusal else {
            let result = ActionResult(part.name, isSucceeded: true, data: answer.data)
            return change(part.id, [.answered(part.action, result)], at: now)
        }
        guard let command = running[part.id] else { return [] }
        let actions = command.stored.command.request.actions
        let isFresh = fresh.contains(part.id)
        // It was sent, and the thing itself may still answer until the deadline.
        if command.isAtEdge, !isFresh, refusal.isAboutTheWay { return [] }
        if command.isAtEdge, refusal.code == .thingOffline {
            // Its other parts need no results of their own.
            guard command.stored.command.state.isOpen else { return [] }
            let effects = change(part.id, [.offline], at: now)
            guard effects.isEmpty else { return effects }
        }
        let result = ActionResult(part.name, refused: .refused(refusal))
        var events: [ThingCommand.Event] = [.answered(part.action, result)]
        if refusal.code == .rateLimited, !command.isAtEdge {
            // No further part would be carried out.
            running[part.id]?.next = actions.count
            for index in command.next..<max(command.next, actions.count) {
                events.append(.answered(index, ActionResult(actions[index].name, refused: .refused(refusal))))
            }
        }
        return change(part.id, events, at: now)
    }

    // MARK: What becomes of a command

    /// Applies events to a command, stores it if they change it, and tells its end.
    mutating func change(_ id: String, _ events: [ThingCommand.Event], at now: Instant) -> [SliceEffect] {
        // In place: commands are large.
        guard let place = running.index(forKey: id) else { return [] }
        var (isChanged, hasEnded) = (false, false)
        for event in events {
            for effect in running.values[place].stored.command.apply(event, at: now.wallMilliseconds) {
                switch effect {
                case .store: isChanged = true
                case .end: hasEnded = true
                }
            }
        }
        var effects: [SliceEffect] = []
        if isChanged {
            effects.append(.perform(.remember(.slice(SliceRecord(running.values[place].stored)))))
        }
        if hasEnded {
            effects += [.perform(.stopTimer(Self.timer(.due(id)))), .changed(.commandEnded(id))]
            effects += Self.answer(&running.values[place])
            let thing = running.values[place].stored.command.thing
            forgetOldest(id, of: thing)
        }
        return effects
    }

    private static func answer(_ command: inout Running) -> [SliceEffect] {
        guard command.isAnsweredAtEnd, let whole = command.whole else { return [] }
        command.isAnsweredAtEnd = false
        let stored = command.stored
        let target = Answer.Target(
            kind: "thing",
            slug: stored.slug ?? "\(stored.target)",
            object: ObjectReference(.thing, stored.target)
        )
        return [.answer(whole, target, data: .object(stored.command.answer))]
    }

    /// - Parameter id: The command that has just ended.
    private mutating func forgetOldest(_ id: String, of thing: BindingID) {
        let left = open[thing, default: 1] - 1
        open[thing] = left > 0 ? left : nil
        ended.append(id)
        if ended.count > Self.capacity { running[ended.removeFirst()] = nil }
    }

    /// A thing has answered.
    mutating func reported(
        _ report: Report,
        _ stored: StoredThingCommand,
        _ order: EdgeOrder?,
        at now: Instant
    ) -> [SliceEffect] {
        let id = stored.command.id
        if running[id] == nil {
            running[id] = Running(stored: stored, isAtEdge: true, whole: nil, isAnsweredAtEnd: false)
            if stored.command.state.isOpen {
                open[stored.command.thing, default: 0] += 1
            } else {
                ended.append(id)
                if ended.count > Self.capacity { running[ended.removeFirst()] = nil }
            }
        }
        guard let command = running[id]?.stored.command else { return [] }
        // What was refused before was not sent.
        let sent = command.results.indices.filter { command.results[$0] == nil }
        let (events, ofOrders): ([ThingCommand.Event], [ActionResult])
        switch report {
        case .ofActions(let results):
            events = [.reported(results)]
            ofOrders = sent.compactMap { results.indices.contains($0) ? results[$0] : nil }
        case .ofOrders(let results):
            // If some had nothing to do, the controller alone knows which ones: the answers to the parts tell.
            events =
                sent.count == results.count
                ? zip(sent, results).map { index, result in
                    .answered(index, result.named(command.request.actions[index].name))
                } : []
            ofOrders = results
        }
        let effects = change(id, events, at: now)
        guard let order, order.orders.count == ofOrders.count else { return effects }
        return effects + [.edge(order.thing, .answered(order.number, ofOrders.map(\.outcome)))]
    }

    // MARK: Stop and start

    /// What the Flare server was to do ends; a thing at the edge may answer in another run.
    mutating func stop(at now: Instant) -> [SliceEffect] {
        running.keys.sorted().flatMap { id -> [SliceEffect] in
            guard var command = running[id], command.stored.command.state.isOpen else { return [] }
            guard command.isAtEdge else { return change(id, [.restarted], at: now) }
            let effects = Self.answer(&command)
            running[id] = command
            return effects
        }
    }

    /// A command of an earlier run waits on if its thing may still answer; else it ends.
    mutating func restore(_ stored: StoredThingCommand, isAtEdge: Bool, at now: Instant) -> [SliceEffect] {
        let command = stored.command
        guard running[command.id] == nil, command.state.isOpen else { return [] }
        running[command.id] = Running(
            stored: stored,
            isAtEdge: isAtEdge,
            whole: nil,
            isAnsweredAtEnd: false
        )
        open[command.thing, default: 0] += 1
        let (left, isOverflow) = command.deadline.subtractingReportingOverflow(now.wallMilliseconds)
        guard !isOverflow, left > 0 else { return change(command.id, [.due], at: now) }
        guard isAtEdge else { return change(command.id, [.restarted], at: now) }
        let wait = min(left, 86_400_000)
        return [.perform(.startTimer(Self.timer(.due(command.id)), milliseconds: wait))]
    }
}

extension ControllerState {
    /// What an action of a command means for a thing: an attribute to be set, or the name of an action.
    fileprivate func operation(for action: CommandAction, on thing: FlareID) -> Command.Operation {
        let target = Command.Target.thing(thing.description)
        let isAttribute =
            things[thing].map {
                shape(of: $0).settable.contains(action.name) || isUnreported(action.name, of: $0)
            } ?? false
        return isAttribute || !action.isCall
            ? .set(target, ThingRequest(attributes: [action.name: action.value]))
            : .perform(action.name, by: target)
    }
}

extension CommandAction {
    /// Whether its value says nothing, as that of an action that is only named.
    fileprivate var isCall: Bool { value.isNull || value == true || value.object?.isEmpty == true }
}

extension ActionResult {
    fileprivate func named(_ name: String) -> ActionResult {
        ActionResult(name, isSucceeded: isSucceeded, errorMessage: errorMessage, data: data)
    }

    /// As the controller takes it.
    var outcome: Result<JSONValue?, Refusal> {
        guard !isSucceeded else { return .success(data) }
        let message = errorMessage ?? "the thing has not carried it out"
        let parts = message.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2, let code = RefusalCode(rawValue: parts[0]) {
            return .failure(Refusal(code, parts[1].trimmingSpace))
        }
        return .failure(Refusal(.serverRejected, message))
    }
}

extension Refusal {
    static func noOwner(_ thing: String) -> Refusal {
        Refusal(
            .notOnboarded,
            "thing \(QuotedValue.of(thing)) has no owner yet; its first owner's onboarding opens it for commands"
        )
    }

    /// Whether it says nothing about what was asked for, only that nobody answered.
    fileprivate var isAboutTheWay: Bool {
        switch code {
        case .timeout, .serverUnreachable, .thingOffline: true
        default: false
        }
    }
}

extension Grantee {
    /// The user who is a caller; `nil` for nobody.
    fileprivate init?(user caller: Caller) {
        guard case .user(let id, _) = caller else { return nil }
        self = .user(id)
    }
}
