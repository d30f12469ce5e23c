import Flare
import JSON
import People
import Text
import Things

/// Validates commands and queues the resulting requests; each command gets exactly one answer.
extension DeviceController {
    mutating func execute(_ command: Command) {
        var command = command
        command.received = now
        pending.journal.received(command, at: now)
        guard command.speaker != nil || state.people == nil else {
            return refuse(command, command.order.subject, .unauthenticated)
        }
        switch command.order {
        case .set(.zone(let zone), let request): setLights(of: zone, request, command)
        case .set(let target, let request): set(target, request, command)
        case .action(let target, let name): performAction(target, name, command)
        case .get(let target): get(target, command)
        case .setDevice(let change): setDevice(change, command)
        case .chooseEnvironment(let choice): choose(choice, command)
        case .switchSensor(let sensor, let on):
            let pending = PendingCommand(
                command: command,
                subject: .set,
                target: .init(kind: "sensor", slug: sensor.rawValue),
                accepted: ["state": .string(on ? "ON" : "OFF")]
            )
            if let refusal = refusal(of: command, .control) { return refuse(pending, refusal) }
            switchSensor(sensor, on: on)
            accept(pending)
        case .setLifecycle(let change):
            let target = Answer.Target(kind: "lifecycle", slug: change.name.rawValue)
            carryOut(command, change.name == .level ? .level : .control, on: target)
        case .show(_, let display):
            carryOut(command, .control, on: Answer.Target(kind: "display", slug: display))
        case .add, .edit, .remove: edit(command)
        case .readPlace(let environment): readPlace(environment, command)
        case .request(let verb): request(verb, command)
        }
    }

    // MARK: Answers

    mutating func accept(_ pending: PendingCommand, data: JSONValue? = nil) {
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

    mutating func refuse(_ pending: PendingCommand?, _ refusal: Refusal) {
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

    mutating func refuse(_ command: Command, _ subject: Answer.Subject, _ refusal: Refusal) {
        refuse(PendingCommand(command: command, subject: subject, target: nil), refusal)
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
        case .thing(let name):
            return state.thing(named: name, in: state.contents, for: command, at: now)
        case .zone:
            return .failure(Refusal(.unknownThing, "a zone has no actions; it has lights that can be set"))
        }
    }

    func isNamed(_ name: String, _ kind: FlareClass, _ id: FlareID) -> Bool {
        FlareID(name) == id || state.slugs.id(of: name, kind: kind) == id
    }

    func answerTarget(_ thing: FlareThing) -> Answer.Target {
        Answer.Target(
            kind: "thing",
            slug: state.slugs[.thing, thing.id] ?? "\(thing.id)",
            object: ObjectReference(.thing, thing.id)
        )
    }

    var unreachable: Refusal {
        Refusal(.serverUnreachable, "the Flare server cannot be reached now; nothing was changed")
    }

    private mutating func set(_ target: Command.Target, _ request: ThingRequest, _ command: Command) {
        let thing: FlareThing
        switch self.thing(target, command) {
        case .success(let found): thing = found
        case .failure(let refusal): return refuse(command, .set, refusal)
        }
        var pending = PendingCommand(command: command, subject: .set, target: answerTarget(thing))
        let names = request.attributes.keys.sorted()
        if let refusal = refusal(of: command, .set(names), on: .init(.thing, thing.id), in: thing.zone) {
            return refuse(pending, refusal)
        }
        // Pending jobs count: "ON" is redundant only if none of them switches the light off.
        var expected = thing
        expected.data = expectedData(of: ObjectReference(.thing, thing.id), now: thing.data)
        switch request.settled(on: expected, kind: state.kind(of: expected)) {
        case .failure(let refusal): refuse(pending, refusal)
        case .success(let setting):
            guard state.isLinkUp else { return refuse(pending, unreachable) }
            pending.accepted = setting.accepted
            pending.rejected = setting.rejected.mapValues(\.code)
            guard !setting.writes.isEmpty else { return accept(pending) }
            enqueue(
                Job(
                    work: .write(setting.writes, transition: setting.transition),
                    command: pending,
                    cause: command.cause
                ),
                on: ObjectReference(.thing, thing.id)
            )
        }
    }

    private mutating func get(_ target: Command.Target, _ command: Command) {
        switch thing(target, command) {
        case .success(let thing):
            let pending = PendingCommand(command: command, subject: .get, target: answerTarget(thing))
            if let refusal = refusal(of: command, .read, on: .init(.thing, thing.id), in: thing.zone) {
                return refuse(pending, refusal)
            }
            accept(pending)
        case .failure(let refusal): refuse(command, .get, refusal)
        }
    }

    // MARK: This device

    private mutating func setDevice(_ change: Command.DeviceChange, _ command: Command) {
        guard configuration.allowsDeviceSet else {
            return refuse(
                command,
                .set,
                Refusal(
                    .notAllowed,
                    "setting this device is switched off; allow it with device.allow_set: true"
                )
            )
        }
        guard state.isLinkUp else { return refuse(command, .set, unreachable) }
        guard let device = state.device, let environment = state.environmentID else {
            return refuse(
                command,
                .set,
                Refusal(.serverUnreachable, "this device is not known to the server yet")
            )
        }
        var pending = PendingCommand(
            command: command,
            subject: .set,
            target: .init(kind: "device", slug: "\(device.id)")
        )
        let kind: ChangeRequest.Kind = change.position == nil ? .edit : .move
        if let refusal = refusal(of: command, kind, on: .init(.device, device.id)) {
            return refuse(pending, refusal)
        }
        var works: [Job.Work] = []
        if let name = change.name {
            works.append(.name(name, environment: environment))
            pending.accepted["name"] = .string(name)
        }
        if let angle = change.angle {
            works.append(.write(["angle": .value(.number(angle))], transition: nil))
            pending.accepted["angle"] = .number(angle)
        }
        if var position = change.position {
            if change.keepsHeight, let height = device.position?.z { position.z = height }
            works.append(.position(position))
            pending.accepted["position"] = position.json
        }
        guard !works.isEmpty else { return accept(pending) }
        var job = Job(work: works.removeFirst(), command: pending, cause: command.cause)
        job.rest = works
        enqueue(job, on: ObjectReference(.device, device.id))
    }

    // MARK: Environment selection

    private mutating func choose(_ choice: Command.EnvironmentChoice, _ command: Command) {
        let reader = state.reader(for: command.speaker, at: now.wallMilliseconds)
        let all = state.environmentsByName.filter { reader?.sees(environment: $0.id) ?? true }
        if let refusal = refusal(of: command, .control) { return refuse(command, .set, refusal) }
        let chosen: FlareEnvironment?
        // Count from a pending selection, so that repeated "next" commands advance.
        let current = all.firstIndex { $0.id == self.pending.choice?.environment ?? state.environmentID }
        switch choice {
        case .next: chosen = all.isEmpty ? nil : all[((current ?? -1) + 1) % all.count]
        case .previous: chosen = all.isEmpty ? nil : all[((current ?? 0) + all.count - 1) % all.count]
        case .named(let name):
            switch state.match(name, .environment, where: { id in all.contains { $0.id == id } }) {
            case .one(let id): chosen = all.first { $0.id == id }
            case .none: chosen = nil
            case .several(let slugs):
                return refuse(
                    command,
                    .set,
                    Refusal(
                        .unknownEnvironment,
                        "several environments are called \(QuotedValue.of(name)); choose one by its short name: "
                            + slugs.prefix(20).joined(separator: ", "),
                        field: "environment"
                    )
                )
            }
        }
        guard let chosen else {
            return refuse(command, .set, unknownEnvironment(choice, among: all))
        }
        let slug = state.slugs[.environment, chosen.id] ?? "\(chosen.id)"
        let pending = PendingCommand(
            command: command,
            subject: .set,
            target: .init(kind: "environment", slug: slug),
            accepted: ["environment": .string(slug)]
        )
        guard state.isLinkUp || chosen.id == state.environmentID else { return refuse(pending, unreachable) }
        let earlier = self.pending.removeChoice()
        refuse(earlier?.pending, Refusal(.superseded, "another environment was chosen in time"))
        guard chosen.id != state.environmentID else { return accept(pending) }
        self.pending.choose(
            PendingChoice(environment: chosen.id, pending: pending, cause: command.cause)
        )
        core.load(.loadPlace(environment: chosen.id))
    }

    private func unknownEnvironment(
        _ choice: Command.EnvironmentChoice,
        among all: [FlareEnvironment]
    ) -> Refusal {
        let slugs = all.compactMap { state.slugs[.environment, $0.id] }
        guard case .named(let name) = choice else {
            return Refusal(.unknownEnvironment, "the Flare server has no environment")
        }
        let legal = slugs.prefix(20).joined(separator: ", ")
        return Refusal(
            .unknownEnvironment,
            "no environment \"\(name.prefix(60))\"; legal: next, previous\(legal.isEmpty ? "" : ", \(legal)")"
        )
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

extension Command.Order {
    /// The topic of the answer.
    fileprivate var subject: Answer.Subject {
        switch self {
        case .get: .get
        case .request(let verb): .verb(verb.name)
        case .set, .action, .setDevice, .chooseEnvironment, .switchSensor, .setLifecycle, .show, .add, .edit,
            .remove, .readPlace:
            .set
        }
    }
}
