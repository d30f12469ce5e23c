package import Flare
import JSON

// Requests of other parts of this program.
extension FlareHub {
    /// Connects a part of this program.
    /// - Parameter emit: Called in order, on the hub's executor, with every event; must not block.
    package func open(_ emit: @escaping @Sendable (FlareEvent) -> Void) -> FlareClientID {
        emit(.linkUp)
        return connect(isInProcess: true) { emit(.notice($0)) }
    }

    /// Performs a request and replies to it: before this call returns, or when its changes are durable.
    ///
    /// Notices of the request come before its reply, and no other change comes between.
    package func answer(
        _ request: FlareRequest,
        from client: FlareClientID,
        _ emit: @escaping @Sendable (FlareEvent) -> Void
    ) {
        let reply = reply(to: request, from: client)
        // Mostly there is nothing to wait for, and so nothing to keep.
        guard isWaitingForDisk else { return emit(.replied(request, Self.reply(reply, unless: notDurable))) }
        whenDurable { emit(.replied(request, Self.reply(reply, unless: $0))) }
    }

    /// The reply to a request whose changes may not be on the disk.
    private static func reply(
        _ reply: Result<FlareReply, FlareLinkError>,
        unless failure: FlareStoreError?
    ) -> Result<FlareReply, FlareLinkError> {
        guard let failure, case .success(.done) = reply else { return reply }
        return .failure(.rejected("\(failure)"))
    }

    private func reply(
        to request: FlareRequest,
        from client: FlareClientID
    ) -> Result<FlareReply, FlareLinkError> {
        do {
            return .success(try perform(request, from: client))
        } catch let error as FlareLinkError {
            return .failure(error)
        } catch {
            return .failure(.rejected("\(error)"))
        }
    }

    private func perform(_ request: FlareRequest, from client: FlareClientID) throws -> FlareReply {
        switch request {
        case .loadEnvironments(let place):
            let found = records(.environment) { record in
                guard let place else { return true }
                return Geofence(json: record.members["geofence"])?.includes(place) ?? false
            }
            return .environments(found.compactMap { FlareEnvironment(json: $0.json) })
        case .loadPlace(let environment):
            _ = try known(.environment, environment)
            return .place(
                zones: records(.zone, environment: environment).compactMap { FlareZone(json: $0.json) },
                things: records(.thing, environment: environment).compactMap { FlareThing(json: $0.json) }
            )
        case .loadDevice(let id, _):
            return .device(record(ObjectReference(.device, id)).flatMap { FlareDevice(json: $0.json) })
        case .createDevice(let draft, let environment):
            _ = try known(.environment, environment)
            let device = FlareRecord(.device, makeID(), draft.members(in: environment))
            let created = try insert([device], from: client)
            return .device(created.first.flatMap { FlareDevice(json: $0.json) })
        case .loadPresence(let id, let environment, let position):
            let device = try known(.device, id)
            let here = presence(at: position, in: environment)
            // The stored thing, as for the original clients, unless it was removed since.
            let stored = device.nearest
            let isGone = stored.map { record(ObjectReference(.thing, $0)) == nil } ?? false
            return .presence(zone: here.zone, nearest: isGone ? here.nearest : stored)
        case .subscribe(let environment):
            let object = ObjectReference(.environment, environment)
            guard subscribe(client, to: object, all: true) else { throw FlareLinkError.unknownObject(object) }
            return .done
        case .unsubscribe(let environment):
            unsubscribe(client, from: ObjectReference(.environment, environment))
            return .done
        case .setData(let object, let values, let sender, let isReport):
            let sender = sender.map { JSONValue.string($0.description) }
            return try done(
                object,
                setData(object, values, sender: sender, from: client, allOrNone: true, isReport: isReport)
            )
        case .setPosition(let object, let position, let sender):
            let sender = sender.map { JSONValue.string($0.description) }
            return try done(object, setPosition(object, position, sender: sender, from: client))
        case .performAction(let object, let action, let sender):
            let sender = sender.map { JSONValue.string($0.description) }
            return try done(object, performAction(object, action, sender: sender, from: client))
        case .renameDevice(let id, _, let name):
            let object = ObjectReference(.device, id)
            return try done(object, update(object, from: client) { $0["name"] = .string(name) } != nil)
        case .create(let kind, let edit, let zone, let environment):
            var members = edit.members(over: [:])
            for (parent, id) in [(FlareClass.environment, environment), (.zone, zone)] {
                guard let id else { continue }
                _ = try known(parent, id)
                members[parent.rawValue] = .string(id.description)
            }
            let id = makeID()
            try insert([FlareRecord(kind, id, members.filter { !$0.value.isNull })], from: client)
            return .created(id)
        case .change(let object, let edit):
            let changed = try update(object, from: client) { members in
                members = edit.applied(to: .object(members)).object ?? members
            }
            return try done(object, changed != nil)
        case .remove(let object, let withContents):
            _ = try known(object.kind, object.id)
            try remove(object, withContents: withContents, from: client)
            return .done
        }
    }

    private func known(_ kind: FlareClass, _ id: FlareID) throws(FlareLinkError) -> FlareRecord {
        let object = ObjectReference(kind, id)
        guard let record = record(object) else { throw .unknownObject(object) }
        return record
    }

    private func done(_ object: ObjectReference, _ isKnown: Bool) throws(FlareLinkError) -> FlareReply {
        guard isKnown else { throw .unknownObject(object) }
        return .done
    }
}

extension DeviceDraft {
    fileprivate func members(in environment: FlareID) -> JSONObject {
        [
            "name": .string(name), "description": .string(description), "data": .object(data),
            "position": position.json, "environment": .string(environment.description),
        ]
    }
}
