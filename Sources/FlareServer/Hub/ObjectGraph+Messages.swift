import Flare
import JSON

// The effects of client messages; `nil` when the object does not exist.
extension ObjectGraph {
    /// Stores values in an object's data and announces them.
    ///
    /// Keys that cannot be stored are announced in the object's own room only; null is ignored.
    /// - Returns: The transaction, and the first of the keys that are not stored.
    /// - Source: contrib/contract/flare-protocol.md, "4.5 setData".
    func planSetData(
        _ object: ObjectReference,
        _ values: JSONObject,
        sender: JSONValue?,
        now: String
    ) -> (transaction: Transaction, refused: String?)? {
        guard let entry = self[object] else { return nil }
        var record = entry.record
        let old = record.storableData
        var data = old ?? [:]
        var untold: JSONObject = [:]
        var refused: String?
        for (key, value) in values {
            if !value.isNull {
                if old != nil, let path = DataPath(key), path.set(value, in: &data) { continue }
                untold[key] = value
            }
            refused = refused.map { min($0, key) } ?? key
        }
        let stored = refused == nil ? values : values.filter { !$0.value.isNull && untold[$0.key] == nil }
        var transaction = Transaction()
        if !stored.isEmpty {
            record.members["data"] = .object(data)
            transaction.update(&record, entry.sequence, now: now)
            transaction.isOfData = true
            transaction.isPassing = object.kind == .device && stored.keys.allSatisfy { $0 == "angle" }
            transaction.announce(.data(object, stored, sender: sender), to: .others(in: rooms(of: record)))
        }
        if !untold.isEmpty, dialect == .origin {
            transaction.announce(.data(object, untold, sender: sender), to: .others(in: [.own(object)]))
        }
        return (transaction, refused)
    }

    /// Moves an object and announces it; the zone and the nearest thing of a device follow.
    ///
    /// Environments and zones do not move, but the position is announced.
    /// - Source: contrib/contract/flare-protocol.md, "4.7 setPosition"; "5.3 Transitions".
    func planSetPosition(
        _ object: ObjectReference,
        _ point: Point3D,
        sender: JSONValue?,
        isWithoutHeight: Bool = false,
        now: String
    ) -> Transaction? {
        guard let entry = self[object] else { return nil }
        var record = entry.record
        var transaction = Transaction()
        transaction.announce(
            .position(object, point, sender: sender),
            to: .others(in: rooms(of: record)),
            isWithoutHeight: isWithoutHeight
        )
        move(&record, to: point, &transaction)
        transaction.update(&record, entry.sequence, now: now)
        transaction.isPassing = object.kind == .device
        return transaction
    }

    /// Observes the last position of a device once more; `nil` when nothing is in doubt.
    func planRecheck(_ device: FlareID, now: String) -> Transaction? {
        guard let entry = self[ObjectReference(.device, device)], let point = entry.record.position,
            presence(of: entry.record).hasCandidate
        else { return nil }
        var record = entry.record
        var transaction = Transaction()
        move(&record, to: point, &transaction)
        if record != entry.record { transaction.update(&record, entry.sequence, now: now) }
        transaction.isPassing = true
        return transaction
    }

    /// Announces an action, and performs it if it is built in.
    /// - Source: contrib/contract/flare-protocol.md, "6. Actions".
    func planAction(_ object: ObjectReference, _ action: String, sender: JSONValue?, now: String)
        -> Transaction?
    {
        guard let entry = self[object] else { return nil }
        var record = entry.record
        let rooms = rooms(of: record)
        var transaction = Transaction()
        transaction.announce(.handleAction(object, action, sender: sender), to: .others(in: rooms))
        let builtIn = BuiltInAction(rawValue: action)
        switch builtIn?.effect(
            position: record.position,
            data: record.data ?? [:],
            isStrict: dialect == .strict
        ) {
        case nil:
            return transaction
        case .position(let point)?:
            guard point.isFinite else { return transaction }
            transaction.announce(.position(object, point, sender: sender), to: .senderFirst(then: rooms))
            move(&record, to: point, &transaction)
        case .data(let key, let value)?:
            guard var data = record.storableData else { return transaction }
            data[key] = value
            record.members["data"] = .object(data)
            transaction.announce(.data(object, [key: value], sender: sender), to: .senderFirst(then: rooms))
        }
        transaction.update(&record, entry.sequence, now: now)
        return transaction
    }

    /// Moves the device with this wireless address to the position from a Cisco CMX server; its height stays.
    /// - Returns: The transaction, and the device as the response shows it: at the new position without z, with
    ///   the old zone and nearest thing.
    /// - Source: contrib/contract/flare-protocol.md, "2.7 CMX notification".
    func planCMX(
        environment: FlareID,
        mac: String,
        x: Double,
        y: Double,
        now: String
    ) -> (transaction: Transaction, answer: FlareRecord)? {
        let address = JSONValue.string(mac.lowercased())
        let found = records(.device, environment: environment, zone: nil) { $0.data?["mac"] == address }
        guard let device = found.first else { return nil }
        let point = Point3D(x: x, y: y, z: device.position?.z ?? 0)
        guard
            let transaction = planSetPosition(
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
        return (transaction, answer)
    }
}

// MARK: - Transitions

extension ObjectGraph {
    /// The rooms for notices about an object: its own, and the all-rooms of its parents.
    private func rooms(of record: FlareRecord) -> [Room] {
        let own = Room.own(record.reference)
        guard record.kind != .environment else { return [own] }
        let environment = record.environment.map { Room.all(.init(.environment, $0)) }
        let zone = record.kind == .zone ? nil : record.zone.map { Room.all(.init(.zone, $0)) }
        return switch (environment, zone) {
        case (let environment?, let zone?): [own, environment, zone]
        case (let parent?, nil), (nil, let parent?): [own, parent]
        case (nil, nil): [own]
        }
    }

    private func move(_ record: inout FlareRecord, to point: Point3D, _ transaction: inout Transaction) {
        guard record.kind == .thing || record.kind == .device else { return }
        record.members["position"] = point.json
        guard record.kind == .device else { return }
        let (zone, nearest) = newPresence(of: record, at: point, &transaction)
        let (device, oldZone, oldNearest) = (record, record.zone, record.nearest)
        func announce(_ notice: FlareNotice, _ kind: FlareClass, _ other: FlareID) {
            transaction.announce(notice, to: audience(of: device, and: kind, other))
        }
        if let oldZone, oldZone != zone { announce(.exit(zone: oldZone, device: device.id), .zone, oldZone) }
        if let oldNearest, oldNearest != nearest?.id {
            announce(.far(thing: oldNearest, device: device.id), .thing, oldNearest)
        }
        if let zone, zone != oldZone { announce(.enter(zone: zone, device: device.id), .zone, zone) }
        if let nearest, nearest.id != oldNearest {
            let notice = FlareNotice.near(thing: nearest.id, device: device.id, distance: nearest.distance)
            announce(notice, .thing, nearest.id)
        }
        record.members["zone"] = zone.map { .string($0.description) }
        record.members["nearest"] = nearest.map { .string($0.id.description) }
    }

    /// The zone and the nearest thing of a device at a point.
    private func newPresence(of device: FlareRecord, at point: Point3D, _ transaction: inout Transaction) -> (
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
        transaction.presences[device.id] = presence
        let nearest = presence.thing.map { thing in
            let found = seen.nearest.flatMap { $0.id == thing ? $0.distance : nil }
            return (id: thing, distance: found ?? seen.thingDistance ?? 0)
        }
        return (presence.zone, nearest)
    }

    /// The audience of a device's transition to or from another object; if that was removed, only the device's room.
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
    /// The data, empty when absent; `nil` when it is not an object.
    fileprivate var storableData: JSONObject? {
        switch members["data"] {
        case nil, .null?: [:]
        case let data?: data.object
        }
    }
}

extension Transaction {
    /// Sets `modified` and stores the object.
    mutating func update(_ record: inout FlareRecord, _ sequence: Int, now: String) {
        record.members["modified"] = .string(now)
        changes.append(.update(record, sequence: sequence))
    }
}
