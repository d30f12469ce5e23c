import Flare
import JSON

/// A Flare server as a value: it stores data and returns the replies and notices a client would receive.
struct HouseServer {
    var environments = House.environments
    var zones = House.zones
    var things = House.things
    var devices = [
        House.device(House.homeDevice, in: House.home, zone: House.kitchen),
        House.device(House.officeDevice, in: House.office, zone: House.meeting),
    ]
    /// The environments the client has subscribed to.
    var subscribed: Set<FlareID> = []
    private var made: UInt32 = 1000

    /// Carries out a request.
    /// - Returns: The notices it causes, then the reply.
    mutating func carryOut(_ request: FlareRequest) -> [FlareEvent] {
        var notices: [FlareNotice] = []
        let result = answer(request, &notices)
        return notices.map { .notice($0) } + [.replied(request, result)]
    }

    private mutating func answer(
        _ request: FlareRequest,
        _ notices: inout [FlareNotice]
    ) -> Result<FlareReply, FlareLinkError> {
        switch request {
        case .loadEnvironments:
            return .success(.environments(environments))
        case .loadPlace(let id):
            guard environments.contains(where: { $0.id == id }) else { return unknown(.environment, id) }
            return .success(
                .place(
                    zones: zones.filter { $0.environment == id },
                    things: things.filter { $0.environment == id }
                )
            )
        case .loadDevice(let id, _):
            return .success(.device(devices.first { $0.id == id }))
        case .createDevice(let draft, let environment):
            guard environments.contains(where: { $0.id == environment }) else {
                return unknown(.environment, environment)
            }
            made += 1
            var device = House.device(House.id(made), in: environment, at: draft.position)
            device.name = draft.name
            device.description = draft.description
            device.data = draft.data
            device.zone = zone(at: draft.position, in: environment)
            devices.append(device)
            return .success(.device(device))
        case .loadPresence(let id, let environment, let position):
            guard let device = devices.first(where: { $0.id == id }) else { return unknown(.device, id) }
            return .success(.presence(zone: zone(at: position, in: environment), nearest: device.nearest))
        case .subscribe(let id):
            guard environments.contains(where: { $0.id == id }) else { return unknown(.environment, id) }
            subscribed.insert(id)
            return .success(.done)
        case .unsubscribe(let id):
            subscribed.remove(id)
            return .success(.done)
        case .setData(let object, let values, _, _):
            return change(object) { data, _ in
                for (key, value) in values { _ = DataPath(key)?.set(value, in: &data) }
            }
        case .setPosition(let object, let position, _):
            let result = change(object) { $1 = position }
            if object.kind == .device { notices += moved(object.id) }
            return result
        case .performAction(let object, let action, let sender):
            let sender = sender.map { JSONValue.string("\($0)") }
            return change(object) { data, position in
                switch BuiltInAction(rawValue: action)?.effect(position: position, data: data) {
                case .data(let key, let value)?:
                    data[key] = value
                    notices.append(.data(object, [key: value], sender: sender))
                case .position(let point)?:
                    position = point
                    notices.append(.position(object, point, sender: sender))
                case nil: break
                }
            }
        case .renameDevice(let id, _, let name):
            guard let index = devices.firstIndex(where: { $0.id == id }) else { return unknown(.device, id) }
            devices[index].name = name
            return .success(.done)
        case .create(let kind, let edit, let zone, let environment):
            made += 1
            let id = House.id(made)
            insert(kind, id, zone, environment)
            _ = change(ObjectReference(kind, id), edit)
            return .success(.created(id))
        case .change(let object, let edit):
            return change(object, edit) ? .success(.done) : unknown(object.kind, object.id)
        case .remove(let object, let withContents):
            return remove(object, withContents)
        }
    }

    private mutating func insert(
        _ kind: FlareClass,
        _ id: FlareID,
        _ zone: FlareID?,
        _ environment: FlareID?
    ) {
        switch kind {
        case .environment: environments.append(FlareEnvironment(id: id))
        case .zone:
            var new = FlareZone(id: id)
            new.environment = environment
            zones.append(new)
        case .thing, .device:
            var new = FlareThing(id: id)
            (new.zone, new.environment) = (zone, environment)
            things.append(new)
        }
    }

    private mutating func change(_ object: ObjectReference, _ edit: ObjectEdit) -> Bool {
        switch object.kind {
        case .environment:
            guard let index = environments.firstIndex(where: { $0.id == object.id }) else { return false }
            let json = edit.applied(to: environments[index].json)
            environments[index] = FlareEnvironment(json: json) ?? environments[index]
        case .zone:
            guard let index = zones.firstIndex(where: { $0.id == object.id }) else { return false }
            zones[index] = FlareZone(json: edit.applied(to: zones[index].json)) ?? zones[index]
        case .thing, .device:
            guard let index = things.firstIndex(where: { $0.id == object.id }) else { return false }
            things[index] = FlareThing(json: edit.applied(to: things[index].json)) ?? things[index]
        }
        return true
    }

    private mutating func remove(
        _ object: ObjectReference,
        _ withContents: Bool
    ) -> Result<FlareReply, FlareLinkError> {
        let isIn = { (zone: FlareID?, environment: FlareID?) in
            object.kind == .environment ? environment == object.id : object.kind == .zone && zone == object.id
        }
        let isFull =
            zones.contains { isIn(nil, $0.environment) } || things.contains { isIn($0.zone, $0.environment) }
        guard withContents || !isFull else { return .failure(.rejected("not empty")) }
        let count = environments.count + zones.count + things.count + devices.count
        environments.removeAll { object == ObjectReference(.environment, $0.id) }
        zones.removeAll { object == ObjectReference(.zone, $0.id) || isIn(nil, $0.environment) }
        things.removeAll { object == ObjectReference(.thing, $0.id) || isIn($0.zone, $0.environment) }
        devices.removeAll { object == ObjectReference(.device, $0.id) || isIn(nil, $0.environment) }
        return environments.count + zones.count + things.count + devices.count < count
            ? .success(.done) : unknown(object.kind, object.id)
    }

    private func unknown(_ kind: FlareClass, _ id: FlareID) -> Result<FlareReply, FlareLinkError> {
        .failure(.unknownObject(ObjectReference(kind, id)))
    }

    private mutating func change(
        _ object: ObjectReference,
        _ body: (inout JSONObject, inout Point3D?) -> Void
    ) -> Result<FlareReply, FlareLinkError> {
        if object.kind == .thing, let index = things.firstIndex(where: { $0.id == object.id }) {
            var thing = things[index]
            body(&thing.data, &thing.position)
            things[index] = thing
        } else if object.kind == .device, let index = devices.firstIndex(where: { $0.id == object.id }) {
            var device = devices[index]
            body(&device.data, &device.position)
            devices[index] = device
        } else {
            return unknown(object.kind, object.id)
        }
        return .success(.done)
    }

    private func zone(at point: Point3D, in environment: FlareID) -> FlareID? {
        zones.first { $0.environment == environment && $0.perimeter?.contains(point) == true }?.id
    }

    /// Updates a device's zone and nearest thing after a move.
    mutating func moved(_ id: FlareID) -> [FlareNotice] {
        guard let index = devices.firstIndex(where: { $0.id == id }),
            let environment = devices[index].environment
        else { return [] }
        let (old, point) = (devices[index], devices[index].position ?? .zero)
        let near = things.filter { $0.environment == environment }
            .compactMap { thing in thing.position.map { (id: thing.id, distance: $0.distance(to: point)) } }
            .filter { $0.distance < ProximityLimit.standard }.min { $0.distance < $1.distance }
        devices[index].zone = zone(at: point, in: environment)
        devices[index].nearest = near?.id
        var notices: [FlareNotice] = []
        if old.nearest != near?.id {
            if let thing = old.nearest { notices.append(.far(thing: thing, device: id)) }
            if let near { notices.append(.near(thing: near.id, device: id, distance: near.distance)) }
        }
        if old.zone != devices[index].zone {
            // The enter comes before the exit, as real servers usually send them.
            if let zone = devices[index].zone { notices.append(.enter(zone: zone, device: id)) }
            if let zone = old.zone { notices.append(.exit(zone: zone, device: id)) }
        }
        return notices
    }
}
