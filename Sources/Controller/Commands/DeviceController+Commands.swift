import Flare
package import JSON
import People
import Text
package import Things

/// Validates commands and queues the resulting requests; each command gets exactly one answer.
extension DeviceController {
    mutating func execute(_ command: Command) {
        var command = command
        (command.received, command.event) = (now, core.event)
        if let seat { command.node = seat.node }
        if command.owner == nil { pending.journal.received(command, at: now) }
        let operation = command.operation.base
        attempt(PendingCommand(command: command, subject: operation.subject, target: nil)) {
            pending,
            controller throws(Refusal) in
            guard command.caller != nil else { throw .unauthenticated }
            pending.target = operation.answerTarget
            if let kind = operation.permission { try controller.check(command, kind) }
            try operation.perform(&pending, in: &controller)
        }
    }

    /// Refuses a command if the work on it throws.
    mutating func attempt(
        _ pending: PendingCommand,
        _ work: (inout PendingCommand, inout DeviceController) throws(Refusal) -> Void
    ) {
        var pending = pending
        do throws(Refusal) { try work(&pending, &self) } catch {
            let isUnknown = error.code == .unknownThing || error.code == .unknownEnvironment
            let isUnread = !links.wasServerUp && !state.isPlaceKnown
            refuse(pending, isUnknown && isUnread ? .unread : error)
        }
    }

    /// What changes something at the server needs the link to it.
    func needLink() throws(Refusal) { if !state.isLinkUp { throw .unreachable } }

    // MARK: Answers

    /// How commands fared since the start.
    package var commandFigures: CommandFigures { pending.journal.figures }

    package mutating func accept(_ pending: PendingCommand, data: JSONValue? = nil) {
        if let joint = pending.joint { return ended(joint, nil) }
        var answer = Answer(to: pending)
        // A new thing has its slug since it was read, and a renamed one may have another.
        if let object = pending.target?.object, let slug = state.slugs[object.kind, object.id] {
            answer.target?.slug = slug
        }
        answer.accepted = pending.accepted
        answer.rejected = pending.rejected
        answer.data = data
        (answer.warnings, answer.place) = (pending.warnings, pending.place)
        if pending.subject == .get, let object = pending.target?.object {
            let reader = state.reader(for: pending.command.caller, at: now.wallMilliseconds)
            answer.isContainerHidden = !state.isContainerSeen(of: object, by: reader)
        }
        send(answer, to: pending.command)
    }

    package mutating func refuse(_ pending: PendingCommand?, _ refusal: Refusal) {
        guard let pending else { return }
        if let joint = pending.joint { return ended(joint, refusal) }
        var answer = Answer(to: pending)
        answer.refusal = refusal
        answer.rejected = refusal.field.map { [$0: refusal.code] } ?? [:]
        send(answer, to: pending.command)
    }

    private mutating func send(_ answer: Answer, to command: Command) {
        if let owner = command.owner { return receive(answer, owner) }
        pending.journal.answered(answer, at: now)
        effects.append(.answer(answer))
        log(command.operation, answer, command.caller, command.source, received: command.received)
    }

    /// A command that could not be read was answered by its adapter.
    mutating func refused(_ answer: Answer, _ caller: Caller?, _ source: String?) {
        var answer = answer
        answer.node = seat?.node
        pending.journal.refused(answer, at: now)
        log(nil, answer, caller, source)
    }

    /// Logs who did what.
    private mutating func log(
        _ operation: Command.Operation?,
        _ answer: Answer,
        _ caller: Caller?,
        _ source: String?,
        received: Instant? = nil
    ) {
        let record = CommandRecord(
            operation: operation,
            answer: answer,
            caller: caller,
            source: source,
            received: received ?? now,
            ended: now
        )
        effects.append(.log(record))
    }

    // MARK: Things

    /// The thing that a command is about, as its target, or a refusal if there is none that its sender may see.
    func target(_ target: Command.Target, of command: inout PendingCommand) throws(Refusal) -> FlareThing {
        let thing = try thing(target, command.command)
        command.target = answerTarget(ObjectReference(.thing, thing.id))
        return thing
    }

    private func thing(_ target: Command.Target, _ command: Command) throws(Refusal) -> FlareThing {
        switch target {
        case .nearby(let expected):
            guard let thing = state.nearby, maySeeDevices(command), maySee(thing, command) else {
                throw Refusal(.noNearbyThing, "no thing is nearby now")
            }
            if let expected, !isNamed(expected, .thing, thing.id) {
                let slug = state.slugs[.thing, thing.id] ?? "\(thing.id)"
                // Somebody else's thing has no name here.
                let other = FlareID(expected).flatMap { state.things[$0] }
                    .flatMap { maySee($0, command) ? " (\(QuotedValue.of($0.name)))" : nil }
                throw Refusal(
                    .staleTarget,
                    "the nearby thing is \(slug) (\(QuotedValue.of(thing.name))) by now, not "
                        + "\(QuotedValue.list([expected]))\(other ?? "")",
                    field: "if_id"
                )
            }
            return thing
        case .thing(let name):
            return try state.thing(named: name, in: state.contents, for: command, at: now)
        case .zone:
            throw Refusal(.unknownThing, "a zone has no actions; it has lights that can be set")
        }
    }

    func isNamed(_ name: String, _ kind: FlareClass, _ id: FlareID) -> Bool {
        FlareID(name) == id || state.slugs.id(of: name, kind: kind) == id
    }

    func answerTarget(_ object: ObjectReference) -> Answer.Target {
        Answer.Target(
            kind: object.kind.rawValue,
            slug: state.slugs[object.kind, object.id] ?? "\(object.id)",
            object: object
        )
    }

    // MARK: Environment selection

    /// Selects an environment once its zones and things are read.
    mutating func choose(_ environment: FlareID, _ command: PendingCommand) throws(Refusal) {
        if environment != state.environmentID { try needLink() }
        let earlier = pending.removeChoice()
        refuse(earlier?.pending, Refusal(.superseded, "another environment was chosen in time"))
        guard environment != state.environmentID else { return accept(command) }
        pending.choose(
            PendingChoice(environment: environment, pending: command, cause: command.command.cause)
        )
        core.load(.loadPlace(environment: environment))
    }

    /// Refuses the commands that wait for this environment to be read, or for any if it is `nil`.
    mutating func failReads(of environment: FlareID? = nil, _ refusal: Refusal) {
        func isMeant(_ other: FlareID) -> Bool { environment == nil || environment == other }
        refuse(pending.removeChoice(where: isMeant)?.pending, refusal)
        for refresh in pending.removeRefreshes(where: { $0.map(isMeant) ?? (environment == nil) }) {
            refuse(refresh, refusal)
        }
    }
}
