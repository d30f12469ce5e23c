import Flare

/// What was told while something was being read.
///
/// What is told comes by another way than what is read, and may be newer: so that it is not lost, it is laid
/// over the reading before that is passed on.
struct NoticeOverlay: Sendable {
    /// More objects than this are not remembered.
    private static let maximumObjects = 10_000

    private var data: [ObjectReference: [String: JSONValue]] = [:]
    private var positions: [ObjectReference: Point3D] = [:]
    private var nearest: [FlareID: Nearest] = [:]

    /// What was told last of the thing that a device is near to.
    private enum Nearest: Sendable {
        case near(FlareID)
        case far(FlareID)

        func applied(to stored: FlareID?) -> FlareID? {
            switch self {
            case .near(let thing): thing
            case .far(let thing): stored == thing ? nil : stored
            }
        }
    }

    mutating func note(_ notice: FlareNotice) {
        guard data.count + positions.count + nearest.count < Self.maximumObjects else { return }
        switch notice {
        case .data(let object, let values, _): data[object, default: [:]].merge(values) { $1 }
        case .position(let object, let position, _): positions[object] = position
        case .near(let thing, let device, _): nearest[device] = .near(thing)
        case .far(let thing, let device):
            // The origin tells of the new thing before the old.
            if case .near(let other)? = nearest[device], other != thing { return }
            nearest[device] = .far(thing)
        case .handleAction, .enter, .exit, .thingChanged, .modelChanged: break
        }
    }

    func applied(to reply: FlareReply, of request: FlareRequest) -> FlareReply {
        switch (reply, request) {
        case (.environments(let environments), _):
            .environments(
                environments.map { environment in
                    var environment = environment
                    merge(ObjectReference(.environment, environment.id), into: &environment.data)
                    return environment
                }
            )
        case (.place(let zones, let things), _):
            .place(zones: zones.map { applied(to: $0) }, things: things.map { applied(to: $0) })
        case (.device(let device?), _): .device(applied(to: device))
        case (.presence(let zone, let stored), .loadPresence(let device, _, _)):
            if let news = nearest[device] {
                .presence(zone: zone, nearest: news.applied(to: stored))
            } else {
                reply
            }
        default: reply
        }
    }

    private func applied(to zone: FlareZone) -> FlareZone {
        var zone = zone
        merge(ObjectReference(.zone, zone.id), into: &zone.data)
        return zone
    }

    private func applied(to thing: FlareThing) -> FlareThing {
        var thing = thing
        let object = ObjectReference(.thing, thing.id)
        merge(object, into: &thing.data)
        thing.position = positions[object] ?? thing.position
        return thing
    }

    private func applied(to device: FlareDevice) -> FlareDevice {
        var device = device
        let object = ObjectReference(.device, device.id)
        merge(object, into: &device.data)
        device.position = positions[object] ?? device.position
        if let news = nearest[device.id] { device.nearest = news.applied(to: device.nearest) }
        return device
    }

    private func merge(_ object: ObjectReference, into data: inout [String: JSONValue]) {
        guard let values = self.data[object] else { return }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where !value.isNull {
            _ = DataPath(key)?.set(value, in: &data)
        }
    }
}
