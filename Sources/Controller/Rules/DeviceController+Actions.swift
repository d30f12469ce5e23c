import Flare
import JSON
import Things

/// Actions of things: those of a profile set a value, all others are done by the Flare server.
extension DeviceController {
    mutating func performAction(_ target: Command.Target, _ name: String, _ command: Command) {
        let thing: FlareThing
        switch self.thing(target, command) {
        case .success(let found): thing = found
        case .failure(let refusal): return refuse(command, .set, refusal)
        }
        var pending = PendingCommand(
            command: command,
            subject: .set,
            target: answerTarget(thing),
            accepted: ["action": .string(name)]
        )
        let kind = state.kind(of: thing)
        let found = kind?.action(named: name, of: thing)
        // Where a thing is belongs to what it is, unless its profile or its list of actions says otherwise.
        let moves = found.map { $0 == .success(nil) } ?? true && ThingCapabilities.moves(thing, action: name)
        let change: ChangeRequest.Kind = moves ? .move : .action(name)
        if let refusal = refusal(of: command, change, on: .init(.thing, thing.id), in: thing.zone) {
            return refuse(pending, refusal)
        }
        var work = Job.Work.action(name)
        switch found {
        case .failure(let refusal)?: return refuse(pending, refusal)
        case .success(let action?)?:
            guard let kind, let setting = ThingRequest.setting(of: action, on: thing, kind: kind) else {
                break
            }
            pending.accepted.merge(setting.accepted) { sent, _ in sent }
            work = .write(setting.writes, transition: nil)
        case .success(nil)?, nil:
            if case .failure(let refusal) = ThingCapabilities(thing: thing, kind: kind).checked(action: name)
            {
                return refuse(pending, refusal)
            }
        }
        guard state.isLinkUp else { return refuse(pending, unreachable) }
        enqueue(
            Job(work: work, command: pending, cause: command.cause),
            on: ObjectReference(.thing, thing.id)
        )
    }
}
