import Flare
import JSON
import Things

/// Rule 5: notices from the server update the same state, whichever client made the change.
extension DeviceController {
    mutating func noticeReceived(_ notice: FlareNotice) {
        // The place is about to be read: what differs from the remembered one is no event.
        guard !state.isStale else { return }
        let server = ChangeEvent.Cause("server")
        switch notice {
        case .data(let object, let values, let sender):
            yieldTransition(of: object, to: values, sender: sender)
            let old = state.data(of: object)
            let key = values.first { old?[$0.key] != $0.value }?.key
            let echo = key.flatMap { echoCause(.data($0), of: object, sender: sender) }
            merge(values, into: object, cause: echo ?? server)
            if !state.routes.isEmpty, let old { follow(values, on: object, old: old, sender: sender) }
        case .position(let object, let position, let sender):
            let isChange = state.things[object.id]?.position != position
            let echo = isChange ? echoCause(.position, of: object, sender: sender) : nil
            move(object, to: position, cause: echo ?? server)
        case .handleAction(let object, let action, _):
            core.emitAction(action, on: object, cause: server)
        case .enter, .exit, .near, .far:
            presence.noticed(notice, in: &core)
        case .thingChanged(let id, let thing, let environment):
            if environment == state.environmentID { thingChanged(id, thing) }
        case .modelChanged(let object, let environment):
            reload(object, environment: environment)
        }
    }

    /// The cause of a change made by one of our own actions; `nil` for changes by others.
    private mutating func echoCause(
        _ part: ActionEchoes.Part,
        of object: ObjectReference,
        sender: JSONValue?
    ) -> ChangeEvent.Cause? {
        guard let device = state.device, sender?.string == "\(device.id)" else { return nil }
        return queues.echoes.removeCause(part, of: object, at: now)
    }

    /// Merges confirmed values into an object's data and publishes those that differ.
    mutating func merge(_ values: JSONObject, into object: ObjectReference, cause: ChangeEvent.Cause) {
        guard let old = state.data(of: object) else { return }
        var data = old
        // A dotted key is a path into the data; values that the server cannot store are skipped.
        for (key, value) in values where !value.isNull {
            _ = DataPath(key)?.set(value, in: &data)
        }
        if object.kind == .thing { recordLevel(of: object.id, before: old, after: data) }
        let after = data.members(unlike: old)
        guard !after.isEmpty else { return }
        switch object.kind {
        case .environment: state.environments[object.id]?.data = data
        case .zone: state.zones[object.id]?.data = data
        case .thing:
            let namesKind = after.contains { DataKey.profile.contains($0.key) }
            let before = namesKind ? state.things[object.id] : nil
            state.things[object.id]?.data = data
            if namesKind { followKind(of: object.id, from: before) }
        case .device: state.device?.data = data
        }
        var type = "changed"
        if object.kind != .device {
            core.markChanged(object)
        } else {
            state.changedAt[object] = now
            changes.insert(.device)
            if after["angle"] != nil {
                type = "turned"
                if cause != ChangeEvent.Cause("compass") { state.measuredAngle = nil }
                changes.formUnion([.angle, .nearby])
            }
        }
        let difference = ObjectDifference(before: old.members(unlike: data), after: after)
        core.emit(difference, type, of: object, cause: cause)
        // The power of a socket is no matter of beacons.
        let isOfBeacon =
            DataKey.isBeacon(after) || after["power"] != nil && DataKey.isBeacon(data)
        if isOfBeacon, object.kind != .device { core.trackBeacons() }
    }

    /// Remembers the last visible brightness of a light when its brightness becomes 0.
    mutating func recordLevel(of id: FlareID, before: JSONObject, after: JSONObject) {
        guard let shape = shape(of: ObjectReference(.thing, id)), shape.isLight || shape.kind == nil else {
            return
        }
        guard let level = shape.light(of: after).level else { return }
        let (isVisible, resting) = (level > 0, lights.restingLevels[id])
        // Most lights are visible, and nothing is remembered of them.
        guard !isVisible || resting != nil, case let former = shape.light(of: before).level, former != level
        else { return }
        if isVisible {
            lights.restingLevels[id] = nil
        } else if resting == nil, let former, former > 0 {
            lights.restingLevels[id] = former
        }
    }

    private mutating func move(_ object: ObjectReference, to position: Point3D, cause: ChangeEvent.Cause) {
        switch object.kind {
        case .thing:
            guard let old = state.things[object.id], old.position != position else { return }
            state.things[object.id]?.position = position
            core.markChanged(object)
            core.emitMoved(object, from: old.position?.json, to: position.json, cause: cause)
            if old.hasBeacon { core.trackBeacons() }
        case .device:
            guard object.id == state.device?.id, state.isRunning(.cmx), !sync.isPositionUnconfirmed
            else {
                return
            }
            positionGiven(.fair, by: "cmx")
            core.moveDevice(to: position, cause: cause)
            presence.update(in: &core, cause: cause)
        case .environment, .zone:
            break
        }
    }

    private mutating func reload(_ object: ObjectReference, environment: FlareID?) {
        switch object.kind {
        case .environment:
            core.load(.loadEnvironments(near: nil))
            // Several of its objects may have changed at once, as by an import.
            if object.id == state.environmentID {
                core.load(.loadPlace(environment: object.id))
            } else {
                reading.elsewhere.changed(object.id)
            }
        case .zone, .thing:
            guard let current = state.environmentID, environment == nil || environment == current else {
                return
            }
            core.load(.loadPlace(environment: current))
        case .device:
            guard object.id == state.device?.id, let current = state.environmentID else { return }
            core.load(.loadDevice(object.id, environment: current))
        }
    }
}
