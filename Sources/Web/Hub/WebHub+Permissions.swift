import Controller
import Flare
import JSON
import People

/// What somebody may do, so that pages offer nothing else.
struct Permissions: Sendable {
    /// The things that may be driven; `nil` for all that there are, and that there will be.
    let things: Set<FlareID>?
    /// The content of `/api/permissions`.
    let json: [UInt8]
}

/// What viewers may do: asked for with the lists, and told on each event stream when it begins and when it changes.
extension WebHub {
    func permissions(of requester: Requester) -> Permissions {
        let state = node.state()
        let caller = requester.caller
        var members: JSONObject = [
            "users": true, "password": .bool(node.people.password != nil),
            "signed_in": .bool(requester.hasSession || requester.isNamed),
            "by_session": .bool(requester.hasSession),
            "devices": .bool(node.allows(request(.control, by: caller))),
            "administers": .bool(!requester.isUnnamed && node.allows(request(.administer, by: caller))),
        ]
        let all = state.webObjects(.thing)
        // In one order, so that the same answer is the same text.
        let drivable = all.filter { mayDrive($0, caller, in: state) }.map(\.id).sorted()
        let isAll = drivable.count == all.count && mayDriveEverything(caller, in: state)
        members["things"] = isAll ? true : .array(drivable.map { .string("\($0)") })
        return Permissions(things: isAll ? nil : Set(drivable), json: JSONValue.object(members).bytes)
    }

    private func mayDriveEverything(_ caller: Caller?, in state: ControllerState) -> Bool {
        guard let caller else { return false }
        return Reader(state.people, for: caller, .write, at: node.clock().wallMilliseconds).seesEverything
    }

    private func mayDrive(_ object: ObjectReference, _ caller: Caller?, in state: ControllerState) -> Bool {
        guard let thing = state.things[object.id] else { return false }
        var request = request(.set([]), by: caller)
        (request.object, request.zone) = (object, thing.zone)
        request.environment = thing.environment ?? state.environmentID
        return node.allows(request)
    }

    private func request(_ kind: ChangeRequest.Kind, by caller: Caller?) -> ChangeRequest {
        ChangeRequest(actor: .kiosk, caller: caller, at: node.clock().wallMilliseconds, kind: kind)
    }

    // MARK: On event streams

    /// Tells a stream that has just begun what its viewer may do.
    func tellPermissions(of stream: Int) {
        guard let requester = viewers[stream]?.requester else { return }
        tell(permissions(of: requester), on: stream)
    }

    /// Tells the streams whose viewers may do something else than before.
    func renewPermissions() {
        allowedControl = node.state().lifecycle.allowsControl
        // Most streams are of a few users.
        var found: [PermissionsKey: Permissions] = [:]
        for (stream, viewer) in viewers {
            let key = PermissionsKey(viewer.requester)
            let permissions = found[key] ?? permissions(of: viewer.requester)
            found[key] = permissions
            if viewer.permissions?.json != permissions.json { tell(permissions, on: stream) }
        }
    }

    /// A turn has changed something: perhaps the level of the lifecycle, or a thing is new, gone, or in another zone.
    func followPermissions(_ snapshot: StateSnapshot) {
        guard !viewers.isEmpty else { return }
        let isDue =
            snapshot.state.lifecycle.allowsControl != allowedControl
            || snapshot.changes.contains { change in
                guard case .object(let object) = change else { return change == .environment }
                return object.kind == .thing
                    ? isOutdated(object, in: snapshot.state) : object.kind != .device
            }
        if isDue { renewPermissions() }
    }

    /// Whether a thing may be driven by a viewer who could not drive it before, or the other way round.
    private func isOutdated(_ thing: ObjectReference, in state: ControllerState) -> Bool {
        var found: [Caller?: Bool] = [:]
        return viewers.values.contains { viewer in
            guard let permissions = viewer.permissions else { return false }
            let caller = viewer.requester.caller
            let may = found[caller] ?? mayDrive(thing, caller, in: state)
            found[caller] = may
            guard let things = permissions.things else { return !may && state.things[thing.id] != nil }
            return things.contains(thing.id) != may
        }
    }

    private func tell(_ permissions: Permissions, on stream: Int) {
        viewers[stream]?.permissions = permissions
        streams.tell(permissions.json, on: stream)
    }
}

/// What the permissions of a requester depend on.
private struct PermissionsKey: Hashable {
    let caller: Caller?
    let hasSession: Bool
    let isNamed: Bool
    let isUnnamed: Bool

    init(_ requester: Requester) {
        caller = requester.caller
        (hasSession, isNamed, isUnnamed) = (requester.hasSession, requester.isNamed, requester.isUnnamed)
    }
}
