import Flare

/// All objects, and where they are.
///
/// A pure value: its `plan…` functions say what is to happen; ``apply(_:)`` makes it so once it is stored.
struct World: Sendable {
    private var entries: [FlareClass: [FlareID: Entry]] = [:]
    private var places: [FlareID: Place] = [:]
    private var thingsOfZones: [FlareID: Set<FlareID>] = [:]
    private(set) var count = 0
    /// The number of the next object; objects are listed by it.
    private(set) var nextSequence = 1
    let dialect: FlareDialect

    init(dialect: FlareDialect = .origin) {
        self.dialect = dialect
    }

    struct Entry: Sendable {
        var record: FlareRecord
        let sequence: Int
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
        let all = entries[kind] ?? [:]
        let candidates: [Entry]
        if let zone, kind == .thing {
            candidates = (thingsOfZones[zone] ?? []).compactMap { all[$0] }
        } else if let environment, kind != .environment {
            candidates = (places[environment]?.members[kind] ?? []).compactMap { all[$0] }
        } else {
            candidates = Array(all.values)
        }
        let wanted = candidates.filter { entry in
            (environment == nil || entry.record.home == environment)
                && (zone == nil || entry.record.zone == zone) && isWanted(entry.record)
        }
        return wanted.sorted { $0.sequence < $1.sequence }.map(\.record)
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

extension World {
    /// What takes changes back, in their order; to be applied in the reverse.
    func inverse(of changes: [Plan.Change]) -> [Plan.Change] {
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
    mutating func apply(_ changes: [Plan.Change]) {
        for change in changes {
            switch change {
            case .insert(let record, let sequence):
                insert(record, sequence: sequence)
            case .update(let record, let sequence):
                replace(record, sequence: sequence)
            case .remove(let reference, _):
                guard let old = entries[reference.kind]?.removeValue(forKey: reference.id) else { continue }
                count -= 1
                unindex(old.record)
            }
        }
    }

    /// Adds an object at its number in the order of creation.
    mutating func insert(_ record: FlareRecord, sequence: Int) {
        entries[record.kind, default: [:]][record.id] = Entry(record: record, sequence: sequence)
        count += 1
        nextSequence = max(nextSequence, sequence + 1)
        index(record, sequence: sequence)
    }

    private mutating func replace(_ record: FlareRecord, sequence: Int) {
        let entry = Entry(record: record, sequence: sequence)
        guard let old = entries[record.kind]?.updateValue(entry, forKey: record.id)?.record else { return }
        guard !record.isIndexed(like: old) else { return }
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
            places[environment]?.things.put(record.id, order: sequence, from: point, to: point)
        }
        if record.kind == .zone, let box = record.perimeter {
            places[environment]?.zones.put(record.id, order: sequence, from: box.origin, to: box.opposite)
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
