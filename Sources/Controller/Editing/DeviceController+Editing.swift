import Flare
import JSON
import Things

/// Finds and changes environments, zones and things for ``PlaceOperation``.
extension DeviceController {
    /// Reads the zones and things of an environment for a command.
    mutating func read(
        _ environment: FlareID,
        for pending: PendingCommand,
        then next: PendingRefresh.Next
    ) throws(Refusal) {
        try needLink()
        guard self.pending.canRefresh else {
            throw Refusal(.rateLimited, "\(PendingCommands.capacity) readings are waiting already")
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
        case .edit(let operation):
            attempt(refresh.pending) { pending, controller throws(Refusal) in
                try controller.edit(operation, &pending, in: place)
            }
        }
    }

    /// Refuses a command whose place could not be read.
    ///
    /// Who may not see what it names must not learn from it that something there has this name.
    mutating func refuse(_ refresh: PendingRefresh, _ refusal: Refusal) {
        let command = refresh.pending.command
        guard case .edit(let operation) = refresh.next, let environment = refresh.environment,
            !operation.maySeeUnread(in: environment, command, self)
        else { return refuse(refresh.pending, refusal) }
        attempt(refresh.pending) { pending, controller throws(Refusal) in
            try controller.edit(operation, &pending, in: controller.state.contents)
        }
    }

    /// Sends a change to the server.
    ///
    /// - Parameter place: With the object in it; `nil` for an environment.
    mutating func edit(
        _ operation: some PlaceOperation,
        _ command: inout PendingCommand,
        in place: PlaceContents?
    ) throws(Refusal) {
        let edit: PlaceEdit
        do throws(Refusal) { edit = try operation.edit(&command, place, in: self) } catch {
            // What may not be seen in another place is refused in the words for a name that nothing has.
            guard error.code == .unknownThing, command.target == nil,
                place?.environment != state.environmentID
            else { throw error }
            edit = try operation.edit(&command, state.contents, in: self)
        }
        guard let request = edit.request else { return accept(command) }
        try needLink()
        guard pending.canEdit else {
            throw Refusal(
                .rateLimited,
                "\(PendingCommands.editCapacity) changes of the place are waiting already"
            )
        }
        pending.append(PendingEdit(request: request, environment: edit.environment, pending: command))
        effects.append(.flare(request))
    }

    // MARK: Finding

    /// The environment of an object's name; `nil` if it is not known.
    func home(of name: String, _ kind: FlareClass, _ command: Command) -> FlareID? {
        guard kind == .environment else { return state.home(of: name, kind) }
        return (try? state.environment(named: name, for: command, at: now))?.id
    }

    /// The object of a name as the command's target, if the sender may see it, and do this with it.
    func target(
        _ kind: FlareClass,
        _ name: String,
        of pending: inout PendingCommand,
        _ place: PlaceContents?,
        for change: ChangeRequest.Kind
    ) throws(Refusal) -> EditedObject {
        let command = pending.command
        let (id, zone, json): (FlareID, FlareID?, JSONValue)
        switch kind {
        case .environment, .device:
            let found = try state.environment(named: name, for: command, at: now)
            (id, zone, json) = (found.id, nil, found.json)
        case .zone:
            let found = try state.zone(named: name, in: place, for: command, at: now)
            (id, zone, json) = (found.id, nil, found.json)
        case .thing:
            let found = try state.thing(named: name, in: place, for: command, at: now)
            (id, zone, json) = (found.id, found.zone, found.json)
        }
        let object = ObjectReference(kind == .device ? .environment : kind, id)
        let environment = object.kind == .environment ? nil : place?.environment
        pending.target = answerTarget(object)
        try check(command, change, on: object, in: zone, of: environment)
        return EditedObject(object: object, zone: zone, environment: environment, json: json)
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
                by: pending.command.caller
            )
            pending.target = Answer.Target(kind: kind.rawValue, slug: "\(id)", object: object)
        case .success: break
        }
        guard replies > 0 else { return accept(pending) }
        let awaited = isEnvironment ? nil : home
        self.pending.append(PendingRefresh(environment: awaited, pending: pending, replies: replies))
    }
}

/// An object that is to be changed, with what it is in.
struct EditedObject {
    let object: ObjectReference
    let zone: FlareID?
    /// `nil` for an environment.
    let environment: FlareID?
    let json: JSONValue
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
