import Flare
import JSON
import People
import Text
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
        let replies = load(.loadPlace(environment: environment))
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
        return (try? environment(named: name, command).get())?.id
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
            environment(named: name, command).map {
                EditedObject(object: .init(.environment, $0.id), zone: nil, environment: nil, json: $0.json)
            }
        case .zone:
            zone(named: name, in: place, command).map {
                EditedObject(
                    object: .init(.zone, $0.id),
                    zone: nil,
                    environment: place?.environment,
                    json: $0.json
                )
            }
        case .thing:
            thing(named: name, in: place, command).map {
                EditedObject(
                    object: .init(.thing, $0.id),
                    zone: $0.zone,
                    environment: place?.environment,
                    json: $0.json
                )
            }
        }
    }

    /// The environment of a slug or identifier, or a refusal if there is none that the sender may see.
    func environment(named name: String, _ command: Command) -> Result<FlareEnvironment, Refusal> {
        let reader = state.reader(for: command.speaker, at: now.wallMilliseconds)
        return state.environment(named: name, for: reader)
    }

    /// The zone of a name, or a refusal if there is none that the sender may see.
    ///
    /// - Parameter byThings: Whether seeing a thing of it is enough. No hint names a zone that cannot be seen itself.
    func zone(
        named name: String,
        in place: PlaceContents?,
        byThings: Bool = false,
        _ command: Command
    ) -> Result<FlareZone, Refusal> {
        let reader = state.reader(for: command.speaker, at: now.wallMilliseconds)
        var zones = place?.zones ?? [:]
        let seen = reader.map { reader in zones.filter { reader.sees($0.value) } } ?? zones
        if let reader {
            zones =
                !byThings
                ? seen
                : zones.filter { zone in
                    seen[zone.key] != nil
                        || place?.things.values.contains { $0.zone == zone.key && reader.sees($0) } ?? false
                }
        }
        for id in [FlareID(name), state.slugs.id(of: name, kind: .zone)] {
            if let id, let zone = zones[id] { return .success(zone) }
        }
        let known = seen.keys.compactMap { state.slugs[.zone, $0] }.sorted()
        let hint = NearestName.hint(for: name, among: known)
        let others = known.isEmpty ? "" : "\(hint.isEmpty ? ";" : hint) there are \(QuotedValue.list(known))"
        return .failure(
            Refusal(.unknownThing, "no zone \(QuotedValue.of(name)) in this environment\(others)")
        )
    }

    /// The thing of a name, or a refusal if there is none that the sender may see.
    func thing(
        named name: String,
        in place: PlaceContents?,
        _ command: Command
    ) -> Result<FlareThing, Refusal> {
        let things = place?.things ?? [:]
        // A slug can look like an identifier.
        for id in [FlareID(name), state.slugs.id(of: name, kind: .thing)] {
            if let id, let thing = things[id], maySee(thing, command) { return .success(thing) }
        }
        let reader = state.reader(for: command.speaker, at: now.wallMilliseconds)
        let known = things.values.lazy.filter { reader?.sees(state.accessObject($0)) ?? true }
            .compactMap { state.slugs[.thing, $0.id] }.prefix(2000)
        return .failure(
            Refusal(
                .unknownThing,
                "no thing \"\(name.prefix(60))\" in this environment\(NearestName.hint(for: name, among: known))"
            )
        )
    }

    // MARK: The server's reply

    mutating func edited(_ request: FlareRequest, _ result: Result<FlareReply, FlareLinkError>) {
        // The link was lost meanwhile, and the command is answered, if there is none.
        let edit = self.pending.removeEdit(request)
        let isEnvironment = request.editedKind == .environment
        let home = edit?.environment ?? state.environmentID
        var replies = 0
        if isEnvironment {
            replies = load(.loadEnvironments(near: nil))
        } else if let home, home == state.environmentID {
            replies = load(.loadPlace(environment: home))
        } else if let home {
            elsewhere.changed(home)
        }
        guard let edit else { return }
        var pending = edit.pending
        switch result {
        case .failure(let error): return refuse(pending, Refusal(error, in: state))
        case .success(.created(let id)):
            guard case .create(let kind, let new, _, _) = request else { break }
            let object = ObjectReference(kind, id)
            nameNew(object, new.name ?? "", home: isEnvironment ? nil : home, by: pending.command.speaker)
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
