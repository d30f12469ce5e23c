import Flare

/// All objects, and where they are.
///
/// A pure value: its `plan…` functions say what is to happen; ``apply(_:)`` makes it so once it is stored.
struct ObjectGraph: Sendable {
    private var entries: [FlareClass: [FlareID: Entry]] = [:]
    private var places: [FlareID: Place] = [:]
    private var thingsOfZones: [FlareID: Set<FlareID>] = [:]
    private var lists = ListCache()
    private(set) var count = 0
    /// The number of the next object; objects are listed by it.
    private(set) var nextSequence = 1
    let dialect: FlareDialect
    /// How zone and nearness of devices are kept from flapping; `nil` for the origin's rule.
    let steady: SteadyPresence.Settings?
    /// Devices whose zone or nearest thing is in doubt; kept in memory only.
    var presences: [FlareID: SteadyPresence] = [:]

    init(dialect: FlareDialect = .origin, steady: SteadyPresence.Settings? = nil) {
        self.dialect = dialect
        self.steady = steady
    }

    struct Entry: Sendable {
        let record: FlareRecord
        let sequence: Int
        /// As REST shows it, once it was asked for.
        fileprivate var text: [UInt8]?

        fileprivate init(record: FlareRecord, sequence: Int) {
            self.record = record
            self.sequence = sequence
        }
    }

    /// What is in one environment.
    private struct Place: Sendable {
        var members: [FlareClass: Set<FlareID>] = [:]
        var things = BoxTree()
        var zones = BoxTree()
    }

    subscript(reference: ObjectReference) -> Entry? {
        entries[reference.kind]?[reference.id]
    }

    func record(_ kind: FlareClass, _ id: FlareID?) -> FlareRecord? {
        id.flatMap { entries[kind]?[$0]?.record }
    }

    /// The objects of a class, of an environment, of a zone, in order of creation.
    func records(
        _ kind: FlareClass,
        environment: FlareID?,
        zone: FlareID?,
        where isWanted: (FlareRecord) -> Bool
    ) -> [FlareRecord] {
        entries(kind, environment: environment, zone: zone, where: isWanted).map(\.record)
    }

    /// The same as REST shows them; each is written once for as long as it does not change.
    mutating func texts(
        _ kind: FlareClass,
        environment: FlareID?,
        zone: FlareID?,
        where isWanted: (FlareRecord) -> Bool
    ) -> [[UInt8]] {
        entries(kind, environment: environment, zone: zone, where: isWanted).map { $0.text ?? write($0) }
    }

    /// All of them as one list.
    mutating func list(_ kind: FlareClass, environment: FlareID?, zone: FlareID?) -> ListText {
        let key = ListCache.Key(kind: kind, environment: environment, zone: zone)
        if let known = lists[key] { return known }
        let list = ListText(texts(kind, environment: environment, zone: zone) { _ in true })
        lists.keep(list, for: key)
        return list
    }

    /// An object as REST shows it.
    mutating func text(of reference: ObjectReference) -> [UInt8]? {
        self[reference].map { $0.text ?? write($0) }
    }

    private mutating func write(_ entry: Entry) -> [UInt8] {
        let text = entry.record.json.bytes
        entries[entry.record.kind]?[entry.record.id]?.text = text
        return text
    }

    private func entries(
        _ kind: FlareClass,
        environment: FlareID?,
        zone: FlareID?,
        where isWanted: (FlareRecord) -> Bool
    ) -> [Entry] {
        let all = entries[kind] ?? [:]
        let found: [Entry]
        if let zone, kind == .thing {
            found = (thingsOfZones[zone] ?? []).compactMap { all[$0] }
                .filter { environment == nil || $0.record.home == environment }
        } else if let environment, kind != .environment {
            found = (places[environment]?.members[kind] ?? []).compactMap { all[$0] }
        } else {
            found = all.values.filter { environment == nil || $0.record.id == environment }
        }
        let wanted = found.filter { entry in
            (zone == nil || kind == .thing || entry.record.zone == zone) && isWanted(entry.record)
        }
        return wanted.sorted { $0.sequence < $1.sequence }
    }

    /// The first created zone of an environment around a point.
    func zone(at point: Point3D, in environment: FlareID?) -> FlareID? {
        environment.flatMap { places[$0]?.zones.first(containing: point) }
    }

    /// The thing of an environment to which a device at a point is near.
    func nearestThing(to point: Point3D, in environment: FlareID?) -> (id: FlareID, distance: Double)? {
        guard let environment, let place = places[environment] else { return nil }
        let limit = ProximityLimit.metres(environmentData: record(.environment, environment)?.data)
        return place.things.nearest(to: point, within: limit)
    }
}

// MARK: - Changing

extension ObjectGraph {
    /// What takes changes back, in their order; to be applied in the reverse.
    func inverse(of changes: [Transaction.Change]) -> [Transaction.Change] {
        changes.compactMap { change in
            switch change {
            case .insert(let record, let sequence):
                .remove(record.reference, sequence: sequence)
            case .update(let record, _):
                self[record.reference].map { .update($0.record, sequence: $0.sequence) }
            case .remove(let reference, _):
                self[reference].map { .insert($0.record, sequence: $0.sequence) }
            }
        }
    }

    /// Makes changes that were planned on this very world.
    mutating func apply(_ changes: [Transaction.Change]) {
        for change in changes {
            switch change {
            case .insert(let record, let sequence):
                insert(record, sequence: sequence)
            case .update(let record, let sequence):
                replace(record, sequence: sequence)
            case .remove(let reference, _):
                guard let old = entries[reference.kind]?.removeValue(forKey: reference.id) else { continue }
                count -= 1
                lists.forget(listsWith: old.record)
                unindex(old.record)
                presences[reference.id] = nil
            }
        }
    }

    /// Keeps what is in doubt, forgets what is not any more.
    mutating func note(_ presences: [FlareID: SteadyPresence]) {
        for (device, presence) in presences {
            self.presences[device] = presence.hasCandidate ? presence : nil
        }
    }

    /// What is believed of where a device is, as its record says, and what is in doubt.
    func presence(of device: FlareRecord) -> SteadyPresence {
        let stored = SteadyPresence(zone: device.zone, thing: device.nearest)
        guard let doubt = presences[device.id], doubt.zone == stored.zone, doubt.thing == stored.thing else {
            return stored
        }
        return doubt
    }

    /// What is around a point, for a device that is in a zone and near a thing already.
    func surroundings(
        of point: Point3D,
        in environment: FlareID?,
        _ presence: SteadyPresence,
        _ settings: SteadyPresence.Settings
    ) -> SteadyPresence.Surroundings {
        let place = environment.flatMap { places[$0] }
        let limit = ProximityLimit.metres(environmentData: record(.environment, environment)?.data)
        let zones = (place?.zones.all(containing: point) ?? []).compactMap { id in
            record(.zone, id)?.perimeter.map { (area: $0.area, id: id) }
        }
        let around = record(.zone, presence.zone)?.perimeter?.grown(by: settings.zoneMargin)
        return SteadyPresence.Surroundings(
            zone: zones.min { ($0.area, $0.id) < ($1.area, $1.id) }?.id,
            isAroundZone: around?.contains(point) ?? false,
            // The limit belongs to what is near.
            nearest: place?.things.nearest(to: point, within: limit.nextUp),
            thingDistance: record(.thing, presence.thing)?.position?.distance(to: point),
            limit: limit
        )
    }

    /// Adds an object at its number in the order of creation.
    mutating func insert(_ record: FlareRecord, sequence: Int) {
        entries[record.kind, default: [:]][record.id] = Entry(record: record, sequence: sequence)
        count += 1
        nextSequence = max(nextSequence, sequence + 1)
        lists.forget(listsWith: record)
        index(record, sequence: sequence)
    }

    private mutating func replace(_ record: FlareRecord, sequence: Int) {
        let entry = Entry(record: record, sequence: sequence)
        guard let old = entries[record.kind]?.updateValue(entry, forKey: record.id)?.record else { return }
        lists.forget(listsWith: old)
        guard !record.isIndexed(like: old) else { return }
        lists.forget(listsWith: record)
        unindex(old)
        index(record, sequence: sequence)
    }

    private mutating func index(_ record: FlareRecord, sequence: Int) {
        if record.kind == .thing, let zone = record.zone {
            thingsOfZones[zone, default: []].insert(record.id)
        }
        guard record.kind != .environment, let environment = record.environment else { return }
        places[environment, default: Place()].members[record.kind, default: []].insert(record.id)
        if record.kind == .thing, let point = record.position {
            places[environment]?.things.insert(record.id, order: sequence, from: point, to: point)
        }
        if record.kind == .zone, let box = record.perimeter {
            places[environment]?.zones.insert(record.id, order: sequence, from: box.origin, to: box.opposite)
        }
    }

    private mutating func unindex(_ record: FlareRecord) {
        if record.kind == .thing, let zone = record.zone {
            thingsOfZones[zone]?.remove(record.id)
            if thingsOfZones[zone]?.isEmpty == true { thingsOfZones[zone] = nil }
        }
        guard record.kind != .environment, let environment = record.environment else { return }
        places[environment]?.members[record.kind]?.remove(record.id)
        places[environment]?.things.remove(record.id)
        places[environment]?.zones.remove(record.id)
        if places[environment]?.members.values.allSatisfy(\.isEmpty) == true { places[environment] = nil }
    }
}

extension FlareRecord {
    /// Whether the object is found in the same way as an older state of it.
    fileprivate func isIndexed(like old: FlareRecord) -> Bool {
        members["environment"] == old.members["environment"]
            && (kind != .thing || members["zone"] == old.members["zone"])
            && (kind != .thing || members["position"] == old.members["position"])
            && (kind != .zone || members["perimeter"] == old.members["perimeter"])
    }
}

extension Box {
    /// The corner opposite to the origin.
    fileprivate var opposite: Point3D {
        Point3D(x: origin.x + width, y: origin.y + height, z: origin.z + depth)
    }
}
