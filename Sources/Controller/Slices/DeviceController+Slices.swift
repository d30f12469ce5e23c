import Flare
package import Things

/// A command of a slice, which carries it out once the policies were asked.
package protocol SliceCommand: CommandOperation {}

extension SliceCommand {
    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        try controller.carryOut(command)
    }
}

/// The slices: they follow what the core does, and ask it for what they cannot do themselves.
extension DeviceController {
    /// Adds the slices of a configuration that are not here yet.
    mutating func addSlices(_ slices: Slices) {
        let added = state.slices.add(slices)
        for index in added { change(at: index) { $0.begin(in: $1) } }
        if !added.isEmpty { changes.formUnion(state.slices.everything) }
    }

    /// Hands an answer to the slice that has given the command, which may be of another node than the one whose rules run now.
    mutating func receive(_ answer: Answer, _ owner: any Slice.Type) {
        if seat != nil, state.slices.index(of: owner) == nil {
            answersElsewhere.append((answer, owner))
        } else {
            sliceWork.append(answer, to: owner)
        }
    }

    /// Lets all slices follow an event.
    mutating func slicesFollow(_ event: ControllerEvent) {
        let now = now
        for index in state.slices.indices {
            change(at: index) { $0.follow(event, in: $1, at: now) }
            guard state.slices.followsChanges(at: index) else { continue }
            let changes = changes
            change(at: index) { $0.follow(changes: changes, in: $1, at: now) }
        }
    }

    /// Hands an upload to the slices that follow uploads.
    mutating func slicesReceive(_ upload: StateUploaded) {
        let now = now
        for index in state.slices.indices where state.slices.followsUploads(at: index) {
            change(at: index) { $0.uploaded(upload, in: $1, at: now) }
        }
    }

    /// Hands an event to the slice that it is for, which is added if it is not here yet.
    mutating func apply(_ event: SliceEvent) {
        guard let index = state.slices.index(of: event.owner) else { return apply(event, of: event.owner) }
        let now = now
        change(at: index) { $0.apply(own: event, in: $1, at: now) }
    }

    private mutating func apply<Owner: Slice>(_ event: SliceEvent, of owner: Owner.Type) {
        guard let event = event.value as? Owner.Event else { return }
        var slice = state.slices[owner]
        let effects = slice.apply(event, in: state, at: now)
        state.slices[owner] = slice
        perform(effects)
    }

    /// Lets the slice that knows a command carry it out; the policies have been asked.
    fileprivate mutating func carryOut(_ command: PendingCommand) throws(Refusal) {
        for index in state.slices.indices {
            guard let effects = try carryOut(command.command, at: index) else { continue }
            return perform(effects, for: command)
        }
        throw Refusal(.notAllowed, "this node has no \(command.target?.kind ?? "such part")")
    }

    private mutating func carryOut(_ command: Command, at index: Int) throws(Refusal) -> [SliceEffect]? {
        var slice = state.slices.take(at: index)
        defer { state.slices.put(slice, at: index) }
        return try slice.carryOut(command, in: state, at: now)
    }

    private mutating func change(
        at index: Int,
        _ body: (inout any Slice, ControllerState) -> [SliceEffect]
    ) {
        var slice = state.slices.take(at: index)
        let effects = body(&slice, state)
        state.slices.put(slice, at: index)
        perform(effects)
    }

    /// - Parameter pending: The command that a slice carries out.
    private mutating func perform(_ effects: [SliceEffect], for pending: PendingCommand? = nil) {
        guard !effects.isEmpty else { return }
        sliceWork.append(effects, for: pending)
        performSliceWork()
    }

    /// Performs what slices have asked for, and hands them the answers to their commands, until nothing is left.
    ///
    /// What that leads to is appended: nothing here calls itself, however long one command follows from the answer to another.
    mutating func performSliceWork() {
        guard sliceWork.begin() else { return }
        while let item = sliceWork.next() {
            switch item {
            case .effect(let effect, let pending): perform(effect, for: pending)
            case .answer(let answer, let owner):
                guard let index = state.slices.index(of: owner) else { break }
                let now = now
                change(at: index) { $0.answered(answer, in: $1, at: now) }
            }
        }
    }

    /// Performs a command that a slice gives.
    private mutating func perform(_ command: Command) {
        switch sliceWork.admission(in: core.event) {
        case .performed: execute(command)
        case .refused(let refusal):
            let pending = PendingCommand(
                command: command,
                subject: command.operation.base.subject,
                target: nil
            )
            refuse(pending, refusal)
            if command.owner != nil { sliceWork.refusedForGood() }
        case .dropped: break
        }
    }

    private mutating func perform(_ effect: SliceEffect, for pending: PendingCommand?) {
        switch effect {
        case .execute(let command): perform(command)
        case .changed(let change): changes.insert(change)
        case .emit(let topic, let type, let cause, let details, let furtherTopic):
            core.emit(topic, type, cause: cause, details: details, furtherTopic: furtherTopic)
        case .raise(let id, let severity, let message): core.raise(id, severity, message)
        case .clear(let id): core.clear(id)
        case .accept(let values):
            guard var pending else { break }
            pending.accepted = values
            accept(pending)
        case .answer(let command, let target, let data):
            let subject = command.operation.base.subject
            accept(PendingCommand(command: command, subject: subject, target: target), data: data)
        case .settle(let command, let target, let accepted, let refusal):
            let subject = command.operation.base.subject
            var settled = PendingCommand(command: command, subject: subject, target: target)
            settled.accepted = accepted
            if let refusal { refuse(settled, refusal) } else { accept(settled) }
        case .suspend(let sensor):
            guard state.suspendedSensors.insert(sensor).inserted, state.sensors[sensor] == true else { break }
            sync.sensorChanged(sensor, isRunning: false, in: &core, &presence)
        case .resume(let sensor):
            guard state.suspendedSensors.remove(sensor) != nil, state.sensors[sensor] == true else { break }
            sync.sensorChanged(sensor, isRunning: true, in: &core, &presence)
        case .edge(let thing, let event): apply(event, of: thing)
        case .event(let event): apply(event)
        case .readPlace:
            if let environment = state.environmentID { core.load(.loadPlace(environment: environment)) }
        case .perform(let effect): effects.append(effect)
        }
    }
}
