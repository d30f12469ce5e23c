package import Flare
import JSON

/// What the client's owner knows of its place: the basis that the next reading is compared with.
///
/// It follows the replies and notices that the owner received, and its confirmed writes. A difference to a reading is
/// therefore a change by somebody else.
package struct PolledPlace: Sendable {
    /// The subscribed environment.
    package private(set) var environment: FlareID?
    private var deviceID: FlareID?
    /// `nil` what the owner has not read yet: it must not hear of differences to it.
    private var environments: [FlareID: FlareEnvironment]?
    private var zones: [FlareID: FlareZone]?
    private var things: [FlareID: FlareThing]?
    private var device: FlareDevice?

    package init() {}

    /// The requests that read everything, in order.
    package var readings: [FlareRequest] {
        var readings: [FlareRequest] = []
        if environments != nil { readings.append(.loadEnvironments(near: nil)) }
        guard let environment else { return readings }
        if things != nil { readings.append(.loadPlace(environment: environment)) }
        if let deviceID, device != nil { readings.append(.loadDevice(deviceID, environment: environment)) }
        return readings
    }

    package mutating func subscribe(_ id: FlareID) {
        if environment != id { leave() }
        environment = id
    }

    package mutating func unsubscribe(_ id: FlareID) {
        guard environment == id else { return }
        leave()
        environment = nil
    }

    private mutating func leave() { (zones, things, device, deviceID) = (nil, nil, nil, nil) }

    // MARK: What the owner knows

    /// The owner receives the reply to a request of its own.
    package mutating func replied(_ request: FlareRequest, _ reply: FlareReply) {
        switch (request, reply) {
        case (.setData(let object, let values, _, _), .done): merge(values, into: object)
        case (.setPosition(let object, let position, _), .done): move(object, to: position)
        case (.renameDevice(let id, _, let name), .done): if device?.id == id { device?.name = name }
        default: replace(request, reply)
        }
    }

    private mutating func replace(_ request: FlareRequest, _ reply: FlareReply) {
        switch (request, reply) {
        case (.loadEnvironments(near: nil), .environments(let found)):
            environments = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        case (.loadPlace(let id), .place(let foundZones, let foundThings)) where id == environment:
            zones = Dictionary(foundZones.map { ($0.id, $0) }) { first, _ in first }
            things = Dictionary(foundThings.map { ($0.id, $0) }) { first, _ in first }
        case (.loadDevice(_, let id), .device(let found)) where id == environment:
            device = found
            if let found { deviceID = found.id }
        case (.createDevice(_, let id), .device(let made?)) where id == environment:
            (device, deviceID) = (made, made.id)
        default: break
        }
    }

    /// The owner receives a notice.
    package mutating func noticed(_ notice: FlareNotice) {
        switch notice {
        case .data(let object, let values, _): merge(values, into: object)
        case .position(let object, let position, _): move(object, to: position)
        case .enter(let zone, let id): if device?.id == id { device?.zone = zone }
        case .exit(let zone, let id): if device?.id == id, device?.zone == zone { device?.zone = nil }
        case .near(let thing, let id, _): if device?.id == id { device?.nearest = thing }
        case .far(let thing, let id): if device?.id == id, device?.nearest == thing { device?.nearest = nil }
        case .thingChanged(let id, let thing, let place): if place == environment { things?[id] = thing }
        case .handleAction, .modelChanged: break
        }
    }

    private mutating func merge(_ values: JSONObject, into object: ObjectReference) {
        switch object.kind {
        case .environment: environments?[object.id]?.data.store(values)
        case .zone: zones?[object.id]?.data.store(values)
        case .thing: things?[object.id]?.data.store(values)
        case .device: if device?.id == object.id { device?.data.store(values) }
        }
    }

    private mutating func move(_ object: ObjectReference, to position: Point3D) {
        switch object.kind {
        case .thing: things?[object.id]?.position = position
        case .device: if device?.id == object.id { device?.position = position }
        case .environment, .zone: break
        }
    }

    // MARK: Differences

    /// Compares a reading with what the owner knows, which is then the reading.
    ///
    /// - Returns: The notices with which the owner knows it too.
    package mutating func read(_ request: FlareRequest, _ reply: FlareReply) -> [FlareNotice] {
        var notices: [FlareNotice] = []
        switch (request, reply) {
        case (.loadEnvironments(near: nil), .environments(let found)):
            guard let known = environments else { return [] }
            replace(request, reply)
            notices = environmentNotices(known, found)
        case (.loadPlace(let id), .place) where id == environment:
            guard let knownZones = zones, let knownThings = things else { return [] }
            replace(request, reply)
            notices = zoneNotices(knownZones, in: id) + thingNotices(knownThings, in: id)
        case (.loadDevice(let id, let place), .device(let found))
        where place == environment && id == deviceID:
            guard let known = device else { return [] }
            replace(request, reply)
            notices = deviceNotices(known, found, in: place)
        default: break
        }
        return notices
    }

    private func environmentNotices(
        _ known: [FlareID: FlareEnvironment],
        _ found: [FlareEnvironment]
    ) -> [FlareNotice] {
        var notices: [FlareNotice] = []
        for new in found {
            let object = ObjectReference(.environment, new.id)
            guard let changes = known[new.id].flatMap({ Self.notices(of: object, $0, new, \.data) }) else {
                return [.modelChanged(object, environment: new.id)]
            }
            notices += changes
        }
        let kept = Set(found.map(\.id))
        guard let gone = known.keys.filter({ !kept.contains($0) }).min() else { return notices }
        return [.modelChanged(ObjectReference(.environment, gone), environment: gone)]
    }

    private func zoneNotices(_ known: [FlareID: FlareZone], in place: FlareID) -> [FlareNotice] {
        let changes = Self.changes(.zone, from: known, to: zones ?? [:], \.data)
        if let other = changes.first(where: { $0.notices == nil }) {
            return [.modelChanged(other.object, environment: place)]
        }
        return changes.flatMap { $0.notices ?? [] }
    }

    private func thingNotices(_ known: [FlareID: FlareThing], in place: FlareID) -> [FlareNotice] {
        Self.changes(.thing, from: known, to: things ?? [:], \.data, \.position).flatMap { change in
            let id = change.object.id
            return change.notices ?? [.thingChanged(id, things?[id], environment: place)]
        }
    }

    /// The objects that differ, with their notices; `nil` for one that is new or gone, or has changed otherwise.
    private static func changes<Object: Equatable>(
        _ kind: FlareClass,
        from known: [FlareID: Object],
        to found: [FlareID: Object],
        _ data: WritableKeyPath<Object, JSONObject>,
        _ position: WritableKeyPath<Object, Point3D?>? = nil
    ) -> [(object: ObjectReference, notices: [FlareNotice]?)] {
        if known == found { return [] }
        let ids = Set(known.keys).union(found.keys).sorted()
        return ids.filter { known[$0] != found[$0] }.map { id in
            let object = ObjectReference(kind, id)
            guard let old = known[id], let new = found[id] else { return (object, nil) }
            return (object, notices(of: object, old, new, data, position))
        }
    }

    private func deviceNotices(_ known: FlareDevice, _ found: FlareDevice?, in place: FlareID)
        -> [FlareNotice]
    {
        if known == found { return [] }
        let object = ObjectReference(.device, known.id)
        var old = known
        (old.zone, old.nearest) = (found?.zone, found?.nearest)
        guard let found, let changes = Self.notices(of: object, old, found, \.data, \.position) else {
            return [.modelChanged(object, environment: place)]
        }
        return changes + transitionNotices(from: known, to: found)
    }

    /// In the natural order, in which the original server does not always send them.
    private func transitionNotices(from known: FlareDevice, to found: FlareDevice) -> [FlareNotice] {
        var notices: [FlareNotice] = []
        if known.zone != found.zone {
            if let zone = known.zone { notices.append(.exit(zone: zone, device: known.id)) }
            if let zone = found.zone { notices.append(.enter(zone: zone, device: known.id)) }
        }
        guard known.nearest != found.nearest else { return notices }
        if let thing = known.nearest { notices.append(.far(thing: thing, device: known.id)) }
        guard let thing = found.nearest else { return notices }
        let place = things?[thing]?.position
        let distance = place.flatMap { place in found.position.map { $0.distance(to: place) } } ?? 0
        return notices + [.near(thing: thing, device: known.id, distance: distance)]
    }

    /// The notices of changed data and of a new position; `nil` if something else has changed, too.
    private static func notices<Object: Equatable>(
        of object: ObjectReference,
        _ old: Object,
        _ new: Object,
        _ data: WritableKeyPath<Object, JSONObject>,
        _ position: WritableKeyPath<Object, Point3D?>? = nil
    ) -> [FlareNotice]? {
        if old == new { return [] }
        guard let changed = change(of: old[keyPath: data], to: new[keyPath: data]) else { return nil }
        var (notices, rest) = ([FlareNotice](), old)
        rest[keyPath: data] = new[keyPath: data]
        if !changed.isEmpty { notices.append(.data(object, changed, sender: nil)) }
        if let position, let place = new[keyPath: position], place != old[keyPath: position] {
            rest[keyPath: position] = place
            notices.append(.position(object, place, sender: nil))
        }
        return rest == new ? notices : nil
    }

    /// The changed values; `nil` if a message of changed values cannot express the difference.
    private static func change(of old: JSONObject, to new: JSONObject) -> JSONObject? {
        guard old.keys.allSatisfy({ new[$0] != nil }) else { return nil }
        let changed = new.filter { old[$0.key] != $0.value }
        // A dot would be a path, and null is not a change.
        let isPlain = changed.allSatisfy { !$0.value.isNull && !$0.key.contains(".") && !$0.key.isEmpty }
        return isPlain ? changed : nil
    }
}
