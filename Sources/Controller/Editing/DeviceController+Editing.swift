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
    ) {
        guard state.isLinkUp else { return refuse(pending, .unreachable) }
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
        case .edit(let operation): edit(operation, refresh.pending, in: place)
        }
    }

    /// Sends a change to the server, or refuses it.
    ///
    /// - Parameter place: With the object in it; `nil` for an environment.
    mutating func edit(_ operation: some PlaceOperation, _ command: PendingCommand, in place: PlaceContents?)
    {
        switch operation.edit(command.command, place, in: self) {
        case .failure(let refusal): refuse(command, refusal)
        case .success(let edit):
            var command = command
            command.target = edit.target
            if let refusal = edit.refusal { return refuse(command, refusal) }
            guard let request = edit.request else { return accept(command) }
            guard state.isLinkUp else { return refuse(command, .unreachable) }
            guard pending.canEdit else {
                let message = "\(PendingCommands.editCapacity) changes of the place are waiting already"
                return refuse(command, Refusal(.rateLimited, message))
            }
            command.warnings = edit.warnings
            pending.append(PendingEdit(request: request, environment: edit.environment, pending: command))
            effects.append(.flare(request))
        }
    }

    // MARK: Finding

    /// The environment of an object's name; `nil` if it is not known.
    func home(of name: String, _ kind: FlareClass, _ command: Command) -> FlareID? {
        guard kind == .environment else { return state.home(of: name, kind) }
        return (try? state.environment(named: name, for: command, at: now).get())?.id
    }

    /// The object of a name, or a refusal if there is none that the sender may see.
    func object(
        _ kind: FlareClass,
        _ name: String,
        _ command: Command,
        _ place: PlaceContents?
    ) -> Result<EditedObject, Refusal> {
        switch kind {
        case .environment, .device:
            state.environment(named: name, for: command, at: now).map {
                EditedObject(object: .init(.environment, $0.id), zone: nil, environment: nil, json: $0.json)
            }
        case .zone:
            state.zone(named: name, in: place, for: command, at: now).map {
                EditedObject(
                    object: .init(.zone, $0.id),
                    zone: nil,
                    environment: place?.environment,
                    json: $0.json
                )
            }
        case .thing:
            state.thing(named: name, in: place, for: command, at: now).map {
                EditedObject(
                    object: .init(.thing, $0.id),
                    zone: $0.zone,
                    environment: place?.environment,
                    json: $0.json
                )
            }
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
