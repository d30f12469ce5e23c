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
        case .edit: edit(refresh.pending.command, in: place)
        }
    }

    /// The environment of what a command changes; `nil` if it is not known.
    private func home(of command: Command) -> FlareID? {
        switch command.order {
        case .add(.zone, _, let name?), .edit(.environment, let name, _, _),
            .remove(.environment, let name, _):
            (try? environment(named: name, command).get())?.id
        case .add(.thing, _, let zone?): state.home(of: zone, .zone)
        case .edit(let kind, let name, _, _), .remove(let kind, let name, _): state.home(of: name, kind)
        default: nil
        }
    }

    private mutating func edit(_ command: Command, in place: PlaceContents?) {
        let order: Result<EditOrder, Refusal> =
            switch command.order {
            case .add(let kind, let edit, let container): add(kind, edit, to: container, command, place)
            case .edit(let kind, let name, let edit, let zone): change(kind, name, edit, zone, command, place)
            case .remove(let kind, let name, let withContents):
                remove(kind, name, withContents, command, place)
            default: .failure(Refusal(.internalError, "this is no change of an object"))
            }
        switch order {
        case .failure(let refusal): refuse(command, .set, refusal)
        case .success(let order):
            var pending = PendingCommand(command: command, subject: .set, target: order.target)
            if let refusal = order.refusal { return refuse(pending, refusal) }
            guard let request = order.request else { return accept(pending) }
            guard state.isLinkUp else { return refuse(pending, unreachable) }
            guard self.pending.canEdit else {
                let message = "\(PendingCommands.editCapacity) changes of the place are waiting already"
                return refuse(pending, Refusal(.rateLimited, message))
            }
            pending.warnings = order.warnings
            self.pending.append(
                PendingEdit(request: request, environment: order.environment, pending: pending)
            )
            effects.append(.flare(request))
        }
    }

    // MARK: What is asked for

    private func add(
        _ kind: FlareClass,
        _ edit: ObjectEdit,
        to container: String?,
        _ command: Command,
        _ place: PlaceContents?
    ) -> Result<EditOrder, Refusal> {
        var order = EditOrder()
        switch kind {
        case .environment, .device:
            order.refusal = refusal(of: command, .found)
            order.request = .create(.environment, edit)
        case .zone:
            switch environment(named: container ?? "", command) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let found):
                order.environment = found.id
                order.refusal = refusal(of: command, .edit, on: .init(.environment, found.id))
                order.request = .create(.zone, edit, environment: found.id)
            }
        case .thing:
            switch zone(named: container ?? "", in: place, command) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let home):
                let zone = ObjectReference(.zone, home.id)
                order.environment = place?.environment
                order.refusal = refusal(of: command, .edit, on: zone, of: place?.environment)
                order.request = .create(.thing, edit, zone: home.id, environment: place?.environment)
                var new = edit
                new.zone = home.id
                order.warnings = warnings(kind, nil, new, in: place, command)
                return .success(order)
            }
        }
        order.warnings = warnings(kind, nil, edit, in: place, command)
        return .success(order)
    }

    private func change(
        _ kind: FlareClass,
        _ name: String,
        _ edit: ObjectEdit,
        _ zone: String?,
        _ command: Command,
        _ place: PlaceContents?
    ) -> Result<EditOrder, Refusal> {
        let found: EditedObject
        switch object(kind, name, command, place) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let object): found = object
        }
        var edit = edit
        var order = EditOrder(target: target(found.object), environment: found.environment)
        order.refusal = refusal(of: command, .edit, on: found.object, in: found.zone, of: found.environment)
        guard order.refusal == nil else { return .success(order) }
        if let zone {
            switch self.zone(named: zone, in: place, command) {
            case .failure(let refusal):
                order.refusal = refusal
                return .success(order)
            case .success(let home) where home.id != found.zone:
                edit.zone = home.id
                // Moving a thing moves its rights: who has them there gets them.
                let zone = ObjectReference(.zone, home.id)
                order.refusal = refusal(of: command, .edit, on: zone, of: found.environment)
            case .success: break
            }
        }
        guard !edit.isEmpty else { return .success(order) }
        order.request = .change(found.object, edit)
        order.warnings = warnings(kind, found.json, edit, in: place, command)
        return .success(order)
    }

    private func remove(
        _ kind: FlareClass,
        _ name: String,
        _ withContents: Bool,
        _ command: Command,
        _ place: PlaceContents?
    ) -> Result<EditOrder, Refusal> {
        object(kind, name, command, place).map { found in
            var order = EditOrder(target: target(found.object), environment: found.environment)
            order.request = .remove(found.object, withContents: withContents)
            order.refusal = refusal(
                of: command,
                .remove,
                on: found.object,
                in: found.zone,
                of: found.environment
            )
            guard order.refusal == nil, let place else { return order }
            let contents = place.contents(of: found.object)
            if !withContents, !contents.isEmpty {
                order.refusal = Self.notEmpty(found.object.kind, contents)
            }
            // What is protected stays, with what it is in.
            order.refusal =
                order.refusal
                ?? contents.lazy.compactMap { content -> Refusal? in
                    let zone = content.object.kind == .thing ? place.things[content.object.id]?.zone : nil
                    return refusal(of: command, .remove, on: content.object, in: zone, of: place.environment)
                }.first
            return order
        }
    }

    private static func notEmpty(
        _ kind: FlareClass,
        _ contents: [(object: ObjectReference, name: String)]
    ) -> Refusal {
        let counts = [FlareClass.zone, .thing].compactMap { kind -> String? in
            let all = contents.filter { $0.object.kind == kind }
            guard !all.isEmpty else { return nil }
            let names = QuotedValue.list(all.prefix(5).map { $0.name } + (all.count > 5 ? ["…"] : []))
            return "\(all.count) \(kind.rawValue)\(all.count == 1 ? "" : "s") (\(names))"
        }
        return Refusal(
            .notEmpty,
            "the \(kind.rawValue) holds \(counts.joined(separator: " and ")); remove what is in it first, or "
                + "everything together with ?contents=true"
        )
    }

    // MARK: Finding

    private func object(
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

    /// The environment of a slug or identifier, or a refusal if there is none that the sender may see.
    private func environment(named name: String, _ command: Command) -> Result<FlareEnvironment, Refusal> {
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

    private func target(_ object: ObjectReference) -> Answer.Target {
        Answer.Target(
            kind: object.kind.rawValue,
            slug: state.slugs[object.kind, object.id] ?? "\(object.id)",
            object: object
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

/// A change as it is sent to the server, or why it is refused.
private struct EditOrder {
    /// `nil` for what is still to be made.
    var target: Answer.Target?
    /// That of the object; `nil` for an environment.
    var environment: FlareID?
    /// `nil` if there is nothing to do.
    var request: FlareRequest?
    var refusal: Refusal?
    var warnings: [Answer.Warning] = []
}

private struct EditedObject {
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
