import Flare
package import JSON
import People
import Text
package import Things

/// Validates commands and queues the resulting requests; each command gets exactly one answer.
extension DeviceController {
    mutating func execute(_ command: Command) {
        var command = command
        command.received = now
        self.pending.journal.received(command, at: now)
        let operation = command.order.operation
        var pending = PendingCommand(command: command, subject: operation.subject, target: nil)
        guard command.speaker != nil || state.people == nil else { return refuse(pending, .unauthenticated) }
        pending.target = operation.answerTarget
        if let kind = operation.permission, let refusal = refusal(of: command, kind) {
            return refuse(pending, refusal)
        }
        operation.perform(pending, in: &self)
    }

    // MARK: Answers

    package mutating func accept(_ pending: PendingCommand, data: JSONValue? = nil) {
        if let joint = pending.joint { return ended(joint, nil) }
        var answer = Answer(
            ticket: pending.command.ticket,
            tx: pending.command.tx,
            subject: pending.subject,
            target: pending.target
        )
        // A new thing has its slug since it was read, and a renamed one may have another.
        if let object = pending.target?.object, let slug = state.slugs[object.kind, object.id] {
            answer.target?.slug = slug
        }
        answer.actor = pending.command.actor
        answer.accepted = pending.accepted
        answer.rejected = pending.rejected
        answer.data = data
        (answer.warnings, answer.place) = (pending.warnings, pending.place)
        if pending.subject == .get, let object = pending.target?.object {
            let reader = state.reader(for: pending.command.speaker, at: now.wallMilliseconds)
            answer.isContainerHidden = !state.isContainerSeen(of: object, by: reader)
        }
        send(answer, to: pending.command)
    }

    package mutating func refuse(_ pending: PendingCommand?, _ refusal: Refusal) {
        guard let pending else { return }
        if let joint = pending.joint { return ended(joint, refusal) }
        var answer = Answer(
            ticket: pending.command.ticket,
            tx: pending.command.tx,
            subject: pending.subject,
            target: pending.target
        )
        answer.actor = pending.command.actor
        answer.refusal = refusal
        answer.rejected = refusal.field.map { [$0: refusal.code] } ?? [:]
        send(answer, to: pending.command)
    }

    private mutating func send(_ answer: Answer, to command: Command) {
        pending.journal.answered(answer, at: now)
        effects.append(.answer(answer))
        guard state.people != nil else { return }
        effects.append(
            .log(
                CommandRecord(
                    order: command.order,
                    answer: answer,
                    speaker: command.speaker,
                    source: command.source,
                    received: command.received ?? now,
                    ended: now
                )
            )
        )
    }

    /// A command that could not be read was answered by its adapter.
    mutating func refused(_ answer: Answer, _ speaker: Speaker?, _ source: String?) {
        pending.journal.refused(answer, at: now)
        guard state.people != nil else { return }
        let record = CommandRecord(
            order: nil,
            answer: answer,
            speaker: speaker,
            source: source,
            received: now,
            ended: now
        )
        effects.append(.log(record))
    }

    // MARK: Things

    /// The thing that a command's target refers to, or a refusal if there is none that its sender may see.
    func thing(_ target: Command.Target, _ command: Command) -> Result<FlareThing, Refusal> {
        switch target {
        case .nearby(let expected):
            guard let thing = state.nearby, maySeeDevices(command), maySee(thing, command) else {
                return .failure(Refusal(.noNearbyThing, "no thing is nearby now"))
            }
            if let expected, !isNamed(expected, .thing, thing.id) {
                let slug = state.slugs[.thing, thing.id] ?? "\(thing.id)"
                // Somebody else's thing has no name here.
                let other = FlareID(expected).flatMap { state.things[$0] }
                    .flatMap { maySee($0, command) ? " (\(QuotedValue.of($0.name)))" : nil }
                return .failure(
                    Refusal(
                        .staleTarget,
                        "the nearby thing is \(slug) (\(QuotedValue.of(thing.name))) by now, not "
                            + "\(QuotedValue.list([expected]))\(other ?? "")",
                        field: "if_id"
                    )
                )
            }
            return .success(thing)
        case .thing(let name): return state.thing(named: name, in: state.contents, for: command, at: now)
        case .zone:
            return .failure(Refusal(.unknownThing, "a zone has no actions; it has lights that can be set"))
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
    mutating func choose(_ environment: FlareID, _ command: PendingCommand) {
        guard state.isLinkUp || environment == state.environmentID else {
            return refuse(command, .unreachable)
        }
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

extension Refusal {
    static let unreachable = Refusal(
        .serverUnreachable,
        "the Flare server cannot be reached now; nothing was changed"
    )
}
