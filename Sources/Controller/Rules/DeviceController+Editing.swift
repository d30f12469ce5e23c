import Flare
import People
import Things

/// Things are made, changed as a whole, and removed: what they are, not what they do.
///
/// The answer comes when the place was read again, so that whoever asked sees the change.
extension DeviceController {
    mutating func addThing(_ edit: ThingEdit, to zone: String, _ command: Command) {
        let home: FlareZone
        switch self.zone(named: zone, command) {
        case .success(let found): home = found
        case .failure(let refusal): return refuse(command, .set, refusal)
        }
        let pending = PendingCommand(command: command, subject: .set, target: nil)
        if let refusal = refusal(of: command, .edit, on: .init(.zone, home.id)) {
            return refuse(pending, refusal)
        }
        guard let environment = state.environmentID else { return refuse(pending, unreachable) }
        send(.createThing(edit, zone: home.id, environment: environment), pending)
    }

    mutating func editThing(_ name: String, _ edit: ThingEdit, _ zone: String?, _ command: Command) {
        let thing: FlareThing
        switch self.thing(.thing(name), command) {
        case .success(let found): thing = found
        case .failure(let refusal): return refuse(command, .set, refusal)
        }
        var edit = edit
        let pending = PendingCommand(command: command, subject: .set, target: answerTarget(thing))
        if let refusal = refusal(of: command, .edit, on: .init(.thing, thing.id), in: thing.zone) {
            return refuse(pending, refusal)
        }
        if let zone {
            switch self.zone(named: zone, command) {
            case .failure(let refusal): return refuse(pending, refusal)
            case .success(let home) where home.id != thing.zone:
                // Moving a thing moves its rights: who has them there gets them.
                if let refusal = refusal(of: command, .edit, on: .init(.zone, home.id)) {
                    return refuse(pending, refusal)
                }
                edit.zone = home.id
            case .success: break
            }
        }
        guard !edit.isEmpty else { return accept(pending) }
        send(.changeThing(thing.id, edit), pending)
    }

    mutating func removeThing(_ name: String, _ command: Command) {
        switch thing(.thing(name), command) {
        case .failure(let refusal): refuse(command, .set, refusal)
        case .success(let thing):
            let pending = PendingCommand(command: command, subject: .set, target: answerTarget(thing))
            if let refusal = refusal(of: command, .remove, on: .init(.thing, thing.id), in: thing.zone) {
                return refuse(pending, refusal)
            }
            send(.removeThing(thing.id), pending)
        }
    }

    private mutating func send(_ request: FlareRequest, _ pending: PendingCommand) {
        guard state.isLinkUp else { return refuse(pending, unreachable) }
        guard self.pending.canEdit else {
            let message = "\(PendingCommands.editCapacity) changes of things are waiting already"
            return refuse(pending, Refusal(.rateLimited, message))
        }
        self.pending.append(request, pending)
        effects.append(.flare(request))
    }

    private mutating func nameNewThing(_ thing: FlareThing, by command: Command) {
        guard let home = state.environmentID else { return }
        nameNew(ObjectReference(.thing, thing.id), thing.name, home: home, by: command.speaker)
    }

    /// Names a new object at once, if its maker may not see everything, or if it is in another environment.
    ///
    /// A number after the slug would tell the maker of a hidden object of this name. What is elsewhere is not read now.
    mutating func nameNew(_ object: ObjectReference, _ name: String, home: FlareID?, by speaker: Speaker?) {
        // What is in no environment is never shown, and has no slug; nor has a device.
        guard object.kind != .device, home != nil || object.kind == .environment else { return }
        let isPrivate = !seesEverything(speaker)
        guard isPrivate || home != nil && home != state.environmentID,
            let slug = state.slugs.assign(to: object, name: name, home: home, isPrivate: isPrivate)
        else { return }
        effects.append(.remember(.slug(slug, object, home: home)))
    }

    /// Whether somebody who may not see everything is making a thing of this name now.
    func isMadePrivately(_ name: String) -> Bool {
        pending.edits.contains { request, pending in
            guard case .createThing(let edit, _, _) = request, edit.name == name else { return false }
            return !seesEverything(pending.command.speaker)
        }
    }

    private func seesEverything(_ speaker: Speaker?) -> Bool {
        state.reader(for: speaker, at: now.wallMilliseconds)?.seesEverything ?? true
    }

    /// Handles the server's reply.
    mutating func thingEdited(_ request: FlareRequest, _ result: Result<FlareReply, FlareLinkError>) {
        let replies = state.environmentID.map { load(.loadPlace(environment: $0)) } ?? 0
        // The link was lost meanwhile, and the command is answered.
        guard var pending = pending.removeEdit(request) else { return }
        switch result {
        case .failure(let error): return refuse(pending, Refusal(error))
        case .success(.thing(let thing)):
            nameNewThing(thing, by: pending.command)
            pending.target = Answer.Target(
                kind: "thing",
                slug: "\(thing.id)",
                object: ObjectReference(.thing, thing.id)
            )
        case .success: break
        }
        guard replies > 0, let environment = state.environmentID else { return accept(pending) }
        self.pending.append(PendingRefresh(environment: environment, pending: pending, replies: replies))
    }
}
