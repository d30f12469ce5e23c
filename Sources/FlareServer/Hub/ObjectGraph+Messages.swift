import Flare

// What the messages of clients do. Each answers `nil` when the object is unknown.
extension ObjectGraph {
    /// Stores values in an object's data and tells of it.
    ///
    /// Keys that the store does not take are told to the object's own room only; null is no value.
    /// - Returns: The plan, and the keys that are not stored.
    /// - Source: flare-protocol 4.5.
    func planSetData(
        _ object: ObjectReference,
        _ values: [String: JSONValue],
        sender: JSONValue?,
        now: String
    ) -> (plan: Transaction, refused: [String])? {
        guard let entry = self[object] else { return nil }
        var record = entry.record
        var data = record.storableData
        var stored: [String: JSONValue] = [:]
        var untold: [String: JSONValue] = [:]
        for (key, value) in values where !value.isNull {
            var changed = data ?? [:]
            if data != nil, let path = DataPath(key), path.set(value, in: &changed) {
                data = changed
                stored[key] = value
            } else {
                untold[key] = value
            }
        }
        var plan = Transaction()
        if !stored.isEmpty {
            record.members["data"] = .object(data ?? [:])
            plan.update(&record, entry.sequence, now: now)
            plan.announce(.data(object, stored, sender: sender), to: .others(in: rooms(of: record)))
        }
        if !untold.isEmpty, dialect == .origin {
            plan.announce(.data(object, untold, sender: sender), to: .others(in: [.own(object)]))
        }
        return (plan, values.keys.filter { stored[$0] == nil }.sorted())
    }

    /// Moves an object and tells of it; a device's zone and nearest thing follow.
    ///
    /// Environments and zones do not move, but it is told.
    ///
    /// - Source: flare-protocol 4.7 and 5.3.
    func planSetPosition(
        _ object: ObjectReference,
        _ point: Point3D,
        sender: JSONValue?,
        isWithoutHeight: Bool = false,
        now: String
    ) -> Transaction? {
        guard let entry = self[object] else { return nil }
        var record = entry.record
        var plan = Transaction()
        plan.announce(
            .position(object, point, sender: sender),
            to: .others(in: rooms(of: record)),
            isWithoutHeight: isWithoutHeight
        )
        move(&record, to: point, &plan)
        plan.update(&record, entry.sequence, now: now)
        return plan
    }

    /// Looks again at what is around a device that has not moved since; nothing when nothing is in doubt.
    func planLook(_ device: FlareID, now: String) -> Transaction? {
        guard let entry = self[ObjectReference(.device, device)], let point = entry.record.position,
            presence(of: entry.record).hasCandidate
        else { return nil }
        var record = entry.record
        var plan = Transaction()
        move(&record, to: point, &plan)
        if record != entry.record { plan.update(&record, entry.sequence, now: now) }
        return plan
    }

    /// Tells of an action, and carries it out when it is a built-in one.
    /// - Source: flare-protocol 6.
    func planAction(_ object: ObjectReference, _ action: String, sender: JSONValue?, now: String)
        -> Transaction?
    {
        guard let entry = self[object] else { return nil }
        var record = entry.record
        let rooms = rooms(of: record)
        var plan = Transaction()
        plan.announce(.handleAction(object, action, sender: sender), to: .others(in: rooms))
        let builtIn = BuiltInAction(rawValue: action)
        switch builtIn?.effect(
            position: record.position,
            data: record.data ?? [:],
            isStrict: dialect == .strict
        ) {
        case nil:
            return plan
        case .position(let point)?:
            guard point.isFinite else { return plan }
            plan.announce(.position(object, point, sender: sender), to: .senderFirst(then: rooms))
            move(&record, to: point, &plan)
        case .data(let key, let value)?:
            guard var data = record.storableData else { return plan }
            data[key] = value
            record.members["data"] = .object(data)
            plan.announce(.data(object, [key: value], sender: sender), to: .senderFirst(then: rooms))
        }
        plan.update(&record, entry.sequence, now: now)
        return plan
    }

    /// Moves the device with a wireless address to where a Cisco CMX server saw it; its height stays.
    /// - Returns: The plan, and the device as the answer shows it: moved, but without z and with zone and nearest
    ///   as before.
    /// - Source: flare-protocol 2.7.
    func planCMX(
        environment: FlareID,
        mac: String,
        x: Double,
        y: Double,
        now: String
    ) -> (plan: Transaction, answer: FlareRecord)? {
        let address = JSONValue.string(mac.lowercased())
        let found = records(.device, environment: environment, zone: nil) { $0.data?["mac"] == address }
        guard let device = found.first else { return nil }
        let point = Point3D(x: x, y: y, z: device.position?.z ?? 0)
        guard
            let plan = planSetPosition(
                device.reference,
                point,
                sender: nil,
                isWithoutHeight: true,
                now: now
            )
        else { return nil }
        var answer = device
        answer.members["position"] = ["x": .number(x), "y": .number(y)]
        answer.members["modified"] = .string(now)
        return (plan, answer)
    }
}

// MARK: - Transitions

extension ObjectGraph {
    /// The rooms that hear of an object: its own, and everything of its parents.
    private func rooms(of record: FlareRecord) -> [Room] {
        var rooms = [Room.own(record.reference)]
        guard record.kind != .environment else { return rooms }
        if let environment = record.environment { rooms.append(.all(.init(.environment, environment))) }
        guard record.kind != .zone else { return rooms }
        if let zone = record.zone { rooms.append(.all(.init(.zone, zone))) }
        return rooms
    }

    private func move(_ record: inout FlareRecord, to point: Point3D, _ plan: inout Transaction) {
        guard record.kind == .thing || record.kind == .device else { return }
        record.members["position"] = point.json
        guard record.kind == .device else { return }
        let (zone, nearest) = whereabouts(of: record, at: point, &plan)
        let (oldZone, oldNearest) = (record.zone, record.nearest)
        if let oldZone, oldZone != zone {
            plan.announce(
                .exit(zone: oldZone, device: record.id),
                to: audience(of: record, and: .zone, oldZone)
            )
        }
        if let oldNearest, oldNearest != nearest?.id {
            plan.announce(
                .far(thing: oldNearest, device: record.id),
                to: audience(of: record, and: .thing, oldNearest)
            )
        }
        if let zone, zone != oldZone {
            plan.announce(.enter(zone: zone, device: record.id), to: audience(of: record, and: .zone, zone))
        }
        if let nearest, nearest.id != oldNearest {
            plan.announce(
                .near(thing: nearest.id, device: record.id, distance: nearest.distance),
                to: audience(of: record, and: .thing, nearest.id)
            )
        }
        record.members["zone"] = zone.map { .string($0.description) }
        record.members["nearest"] = nearest.map { .string($0.id.description) }
    }

    /// The zone of a device that is at a point, and the thing it is near.
    private func whereabouts(of device: FlareRecord, at point: Point3D, _ plan: inout Transaction) -> (
        zone: FlareID?, nearest: (id: FlareID, distance: Double)?
    ) {
        guard let steady else {
            return (
                zone(at: point, in: device.environment), nearestThing(to: point, in: device.environment)
            )
        }
        var presence = presence(of: device)
        let seen = surroundings(of: point, in: device.environment, presence, steady)
        presence.update(seen, settings: steady)
        plan.presences[device.id] = presence
        let nearest = presence.thing.map { thing in
            (id: thing, distance: record(.thing, thing)?.position?.distance(to: point) ?? 0)
        }
        return (presence.zone, nearest)
    }

    /// Who hears of a device's transition to or from another object; of one that is gone, only the device's own.
    private func audience(of device: FlareRecord, and kind: FlareClass, _ id: FlareID) -> Audience {
        let own = Room.own(device.reference)
        guard let other = record(kind, id) else { return .senderFirst(then: [own]) }
        var rooms = [own]
        if let environment = device.environment { rooms.append(.all(.init(.environment, environment))) }
        if kind == .thing, let zone = other.zone { rooms.append(.all(.init(.zone, zone))) }
        rooms.append(.own(other.reference))
        return .senderFirst(then: rooms)
    }
}

extension FlareRecord {
    /// The data as an object, empty when there is none yet; `nil` when it is something else.
    fileprivate var storableData: [String: JSONValue]? {
        switch members["data"] {
        case nil, .null?: [:]
        case let data?: data.object
        }
    }
}

extension Transaction {
    /// Stamps and stores a changed object.
    mutating func update(_ record: inout FlareRecord, _ sequence: Int, now: String) {
        record.members["modified"] = .string(now)
        changes.append(.update(record, sequence: sequence))
    }
}
