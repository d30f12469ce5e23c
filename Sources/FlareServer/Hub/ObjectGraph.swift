import Flare
import JSON

/// All objects and their indices, as a pure value.
///
/// The `plan…` functions return a transaction; ``apply(_:)`` applies its changes once they are stored.
struct ObjectGraph: Sendable {
    private var entries: [FlareClass: [FlareID: Entry]] = [:]
    private var places: [FlareID: Place] = [:]
    private var thingsByZone: [FlareID: Set<FlareID>] = [:]
    private var lists = ListCache()
    private(set) var count = 0
    /// The sequence number of the next object; lists are in this order.
    private(set) var nextSequence = 1
    let dialect: FlareDialect
    /// Keeps zone and nearest thing of devices from flapping; `nil` for the original rule.
    var steady: SteadyPresence.Settings?
    /// Devices whose zone or nearest thing is in doubt; kept in memory only.
    var presences: [FlareID: SteadyPresence] = [:]

    init(dialect: FlareDialect = .origin, steady: SteadyPresence.Settings? = nil) {
        self.dialect = dialect
        self.steady = steady
    }

    struct Entry: Sendable {
        let record: FlareRecord
        let sequence: Int
        /// The JSON, cached when it was first needed.
        fileprivate var text: [UInt8]?
    }

    /// The objects in one environment.
    private struct Place: Sendable {
        var members: [FlareClass: Set<FlareID>] = [:]
        var things = BoxTree()
        var zones = BoxTree()
        /// `nil` after a change of the zones, until they are needed or something else changes.
        var floors: Floors?
    }

    subscript(reference: ObjectReference) -> Entry? {
        entries[reference.kind]?[reference.id]
    }

    func record(_ kind: FlareClass, _ id: FlareID?) -> FlareRecord? {
        id.flatMap { entries[kind]?[$0]?.record }
    }

    /// The objects of a class, optionally of one environment or zone, in order of creation.
    func records(
        _ kind: FlareClass,
        environment: FlareID?,
        zone: FlareID?,
        where isIncluded: (FlareRecord) -> Bool
    ) -> [FlareRecord] {
        entries(kind, environment: environment, zone: zone, where: isIncluded).map(\.record)
    }

    /// The same objects as JSON; each is encoded again only after a change.
    mutating func texts(
        _ kind: FlareClass,
        environment: FlareID?,
        zone: FlareID?,
        where isIncluded: (FlareRecord) -> Bool
    ) -> [[UInt8]] {
        entries(kind, environment: environment, zone: zone, where: isIncluded).map { $0.text ?? write($0) }
    }

    /// The same objects as one JSON list.
    mutating func list(_ kind: FlareClass, environment: FlareID?, zone: FlareID?) -> EncodedList {
        let key = ListCache.Key(kind: kind, environment: environment, zone: zone)
        if let known = lists[key] { return known }
        let list = EncodedList(texts(kind, environment: environment, zone: zone) { _ in true })
        lists.insert(list, for: key)
        return list
    }

    /// The JSON of an object.
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
        where isIncluded: (FlareRecord) -> Bool
    ) -> [Entry] {
        let all = entries[kind] ?? [:]
        let found: [Entry]
        if let zone, kind == .thing {
            found = (thingsByZone[zone] ?? []).compactMap { all[$0] }
                .filter { environment == nil || $0.record.home == environment }
        } else if let environment, kind != .environment {
            found = (places[environment]?.members[kind] ?? []).compactMap { all[$0] }
        } else {
            found = all.values.filter { environment == nil || $0.record.id == environment }
        }
        let wanted = found.filter { entry in
            (zone == nil || kind == .thing || entry.record.zone == zone) && isIncluded(entry.record)
        }
        return wanted.sorted { $0.sequence < $1.sequence }
    }

    /// The zone of an environment that contains a point; of several, the first created.
    func zone(at point: Point3D, in environment: FlareID?) -> FlareID? {
        environment.flatMap { places[$0]?.zones.first(containing: point) }
    }

    /// The nearest thing of an environment within the proximity limit of a point.
    func nearestThing(to point: Point3D, in environment: FlareID?) -> (id: FlareID, distance: Double)? {
        guard let environment, let place = places[environment] else { return nil }
        let limit = ProximityLimit.metres(environmentData: record(.environment, environment)?.data)
        return place.things.nearest(to: point, within: limit)
    }
}

// MARK: - Changing

extension ObjectGraph {
    /// The inverses of changes in the same order, to be applied in reverse.
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

    /// Applies changes that were planned on the current state.
    /// - Parameter areOfData: Whether they are updates of data, by which no object is found.
    mutating func apply(_ changes: [Transaction.Change], areOfData: Bool = false) {
        for change in changes {
            switch change {
            case .insert(let record, let sequence):
                insert(record, sequence: sequence)
            case .update(let record, let sequence):
                replace(record, sequence: sequence, isOfData: areOfData)
            case .remove(let reference, _):
                guard let old = entries[reference.kind]?.removeValue(forKey: reference.id) else { continue }
                count -= 1
                lists.invalidate(listsContaining: old.record)
                unindex(old.record)
                presences[reference.id] = nil
            }
        }
        if steady?.nearDimensions == 2 { readFloors(after: changes) }
    }

    /// Reads floors again, once for all changes of an import.
    private mutating func readFloors(after changes: [Transaction.Change]) {
        for change in changes {
            switch change {
            case .insert(let record, _), .update(let record, _):
                guard let home = record.environment, places[home]?.floors == nil else { continue }
                let floors = floors(of: home)
                places[home]?.floors = floors
            case .remove: continue
            }
        }
    }

    private func floors(of environment: FlareID) -> Floors {
        if let known = places[environment]?.floors { return known }
        let zones = places[environment]?.members[.zone] ?? []
        return Floors(zonesFrom: zones.lazy.compactMap { self.record(.zone, $0)?.perimeter?.origin.z })
    }

    /// Stores presences that are in doubt and removes the others.
    mutating func update(_ presences: [FlareID: SteadyPresence]) {
        for (device, presence) in presences {
            self.presences[device] = presence.hasCandidate ? presence : nil
        }
    }

    /// A device's zone and nearest thing as recorded, with what is in doubt.
    func presence(of device: FlareRecord) -> SteadyPresence {
        let stored = SteadyPresence(zone: device.zone, thing: device.nearest)
        guard let doubt = presences[device.id], doubt.zone == stored.zone, doubt.thing == stored.thing else {
            return stored
        }
        return doubt
    }

    /// The surroundings of a point for a device with this presence.
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
        let metric = nearnessMetric(in: environment, settings)
        func metres(to thing: FlareID) -> Double? {
            guard let thing = record(.thing, thing), let place = thing.position else { return nil }
            let base = record(.zone, thing.zone)?.perimeter?.origin.z
            return metric.metres(from: point, to: place, base: base)
        }
        let around = record(.zone, presence.zone)?.perimeter?.grown(by: settings.zoneMargin)
        return SteadyPresence.Surroundings(
            zone: zones.min { ($0.area, $0.id) < ($1.area, $1.id) }?.id,
            isAroundZone: around?.contains(point) ?? false,
            // Inclusive: a thing exactly at the limit is near.
            nearest: metric == .space
                ? place?.things.nearest(to: point, within: limit.nextUp)
                : place?.things.nearest(inPlane: point, within: limit.nextUp) { metres(to: $0) != nil },
            thingDistance: presence.thing.flatMap(metres),
            limit: limit
        )
    }

    /// How these settings measure nearness.
    func nearnessMetric(in environment: FlareID?, _ settings: SteadyPresence.Settings) -> NearnessMetric {
        guard settings.nearDimensions == 2, let environment else { return .space }
        return .plane(floors(of: environment))
    }

    /// Adds an object with its sequence number.
    mutating func insert(_ record: FlareRecord, sequence: Int) {
        entries[record.kind, default: [:]][record.id] = Entry(record: record, sequence: sequence)
        count += 1
        nextSequence = max(nextSequence, sequence + 1)
        lists.invalidate(listsContaining: record)
        index(record, sequence: sequence)
    }

    private mutating func replace(_ record: FlareRecord, sequence: Int, isOfData: Bool) {
        let entry = Entry(record: record, sequence: sequence)
        guard let old = entries[record.kind]?.updateValue(entry, forKey: record.id)?.record else { return }
        lists.invalidate(listsContaining: old)
        guard !isOfData, !record.isIndexed(like: old) else { return }
        lists.invalidate(listsContaining: record)
        unindex(old)
        index(record, sequence: sequence)
    }

    private mutating func index(_ record: FlareRecord, sequence: Int) {
        if record.kind == .thing, let zone = record.zone {
            thingsByZone[zone, default: []].insert(record.id)
        }
        guard record.kind != .environment, let environment = record.environment else { return }
        places[environment, default: Place()].members[record.kind, default: []].insert(record.id)
        if record.kind == .thing, let point = record.position {
            places[environment]?.things.insert(record.id, order: sequence, from: point, to: point)
        }
        if record.kind == .zone { places[environment]?.floors = nil }
        if record.kind == .zone, let box = record.perimeter {
            places[environment]?.zones.insert(record.id, order: sequence, from: box.origin, to: box.opposite)
        }
    }

    private mutating func unindex(_ record: FlareRecord) {
        if record.kind == .thing, let zone = record.zone {
            thingsByZone[zone]?.remove(record.id)
            if thingsByZone[zone]?.isEmpty == true { thingsByZone[zone] = nil }
        }
        guard record.kind != .environment, let environment = record.environment else { return }
        if record.kind == .zone { places[environment]?.floors = nil }
        places[environment]?.members[record.kind]?.remove(record.id)
        places[environment]?.things.remove(record.id)
        places[environment]?.zones.remove(record.id)
        if places[environment]?.members.values.allSatisfy(\.isEmpty) == true { places[environment] = nil }
    }
}

extension FlareRecord {
    /// Whether the object has the same index entries as its older state.
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
