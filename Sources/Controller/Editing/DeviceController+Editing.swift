import Flare
import JSON
import People
import Text
import Things

/// Environments, zones and things are made, changed as a whole, and removed: what they are, not what they do.
///
/// For a change in another environment, its zones and things are read first. The answer comes after they have been read
/// again, so the sender already sees the change.
extension DeviceController {
    mutating func edit(_ command: Command) {
        guard let home = home(of: command), home != state.environmentID else {
            return edit(command, in: state.contents)
        }
        read(home, for: PendingCommand(command: command, subject: .set, target: nil), then: .edit)
    }

    /// Answers with the zones and things of an environment.
    mutating func readPlace(_ environment: FlareID, _ command: Command) {
        read(environment, for: PendingCommand(command: command, subject: .get, target: nil), then: .show)
    }

    private mutating func read(
        _ environment: FlareID,
        for pending: PendingCommand,
        then next: PendingRefresh.Next
    ) {
        guard state.isLinkUp else { return refuse(pending, unreachable) }
        guard self.pending.canRefresh else {
            let message = "\(PendingCommands.capacity) readings are waiting already"
            return refuse(pending, Refusal(.rateLimited, message))
        }
        let replies = core.load(.loadPlace(environment: environment))
        self.pending.append(
            PendingRefresh(environment: environment, pending: pending, replies: replies, next: next)
        )
    }

    /// The place for which a command has waited is read.
    mutating func ended(_ refresh: PendingRefresh, _ place: PlaceContents) {
        switch refresh.next {
        case .accept: accept(refresh.pending)
        case .show:
            var pending = refresh.pending
            pending.place = place
            accept(pending)
        case .edit: edit(refresh.pending.command, in: place)
        }
    }

    /// The environment of what a command changes; `nil` if it is not known.
    private func home(of command: Command) -> FlareID? {
        switch command.order {
        case .add(.zone, _, let name?), .edit(.environment, let name, _, _),
            .remove(.environment, let name, _):
            (try? state.environment(named: name, for: command, at: now).get())?.id
        case .add(.thing, _, let zone?): state.home(of: zone, .zone)
        case .edit(let kind, let name, _, _), .remove(let kind, let name, _): state.home(of: name, kind)
        default: nil
        }
    }

    private mutating func edit(_ command: Command, in place: PlaceContents?) {
        let planner = EditPlanner(
            command: command,
            place: place,
            state: state,
            policies: policies,
            now: now,
            advise: advise
        )
        switch planner.plan() {
        case .failure(let refusal): refuse(command, .set, refusal)
        case .success(let plan):
            var pending = PendingCommand(command: command, subject: .set, target: plan.target)
            if let refusal = plan.refusal { return refuse(pending, refusal) }
            guard let request = plan.request else { return accept(pending) }
            guard state.isLinkUp else { return refuse(pending, unreachable) }
            guard self.pending.canEdit else {
                let message = "\(PendingCommands.editCapacity) changes of the place are waiting already"
                return refuse(pending, Refusal(.rateLimited, message))
            }
            pending.warnings = plan.warnings
            self.pending.append(
                PendingEdit(request: request, environment: plan.environment, pending: pending)
            )
            effects.append(.flare(request))
        }
    }

    // MARK: The server's reply

    mutating func edited(_ request: FlareRequest, _ result: Result<FlareReply, FlareLinkError>) {
        // The link was lost meanwhile, and the command is answered, if there is none.
        let edit = self.pending.removeEdit(request)
        let isEnvironment = request.editedKind == .environment
        let home = edit?.environment ?? state.environmentID
        var replies = 0
        if isEnvironment {
            replies = core.load(.loadEnvironments(near: nil))
        } else if let home, home == state.environmentID {
            replies = core.load(.loadPlace(environment: home))
        } else if let home {
            reading.elsewhere.changed(home)
        }
        guard let edit else { return }
        var pending = edit.pending
        switch result {
        case .failure(let error): return refuse(pending, Refusal(error, in: state))
        case .success(.created(let id)):
            guard case .create(let kind, let new, _, _) = request else { break }
            let object = ObjectReference(kind, id)
            core.nameNew(
                object,
                new.name ?? "",
                home: isEnvironment ? nil : home,
                by: pending.command.speaker
            )
            pending.target = Answer.Target(kind: kind.rawValue, slug: "\(id)", object: object)
        case .success: break
        }
        guard replies > 0 else { return accept(pending) }
        let awaited = isEnvironment ? nil : home
        self.pending.append(PendingRefresh(environment: awaited, pending: pending, replies: replies))
    }
}

extension FlareRequest {
    /// The class of the object that is made, changed as a whole or removed.
    fileprivate var editedKind: FlareClass? {
        switch self {
        case .create(let kind, _, _, _): kind
        case .change(let object, _), .remove(let object, _): object.kind
        default: nil
        }
    }
}
