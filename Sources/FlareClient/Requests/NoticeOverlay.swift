import Flare
import JSON

/// The notices that arrived during a read request.
///
/// Notices and responses use different connections, so a notice may be newer than the response. It is therefore
/// applied to the reply.
struct NoticeOverlay: Sendable {
    /// The limit of recorded objects.
    private static let maximumObjects = 10_000

    private var data: [ObjectReference: JSONObject] = [:]
    private var positions: [ObjectReference: Point3D] = [:]
    private var nearest: [FlareID: Nearest] = [:]

    /// The last notice about the nearest thing of a device.
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

    mutating func record(_ notice: FlareNotice) {
        guard data.count + positions.count + nearest.count < Self.maximumObjects else { return }
        switch notice {
        case .data(let object, let values, _): data[object, default: [:]].merge(values) { $1 }
        case .position(let object, let position, _): positions[object] = position
        case .near(let thing, let device, _): nearest[device] = .near(thing)
        case .far(let thing, let device):
            // The original server announces the new thing before the old one.
            if case .near(let other)? = nearest[device], other != thing { return }
            nearest[device] = .far(thing)
        case .handleAction, .enter, .exit, .thingChanged, .modelChanged: break
        }
    }

    func applied(to reply: FlareReply, of request: FlareRequest) -> FlareReply {
        switch (reply, request) {
        case (.environments(let environments), _):
            .environments(environments.map { applied(to: $0, .environment, $0.id, \.data) })
        case (.place(let zones, let things), _):
            .place(
                zones: zones.map { applied(to: $0, .zone, $0.id, \.data) },
                things: things.map { applied(to: $0, .thing, $0.id, \.data, \.position) }
            )
        case (.device(let device?), _): .device(applied(to: device))
        case (.presence(let zone, let stored), .loadPresence(let device, _, _)):
            if let notice = nearest[device] {
                .presence(zone: zone, nearest: notice.applied(to: stored))
            } else {
                reply
            }
        default: reply
        }
    }

    private func applied(to device: FlareDevice) -> FlareDevice {
        var device = applied(to: device, .device, device.id, \.data, \.position)
        if let notice = nearest[device.id] { device.nearest = notice.applied(to: device.nearest) }
        return device
    }

    private func applied<Object>(
        to object: Object,
        _ kind: FlareClass,
        _ id: FlareID,
        _ data: WritableKeyPath<Object, JSONObject>,
        _ position: WritableKeyPath<Object, Point3D?>? = nil
    ) -> Object {
        var (object, reference) = (object, ObjectReference(kind, id))
        if let values = self.data[reference] { object[keyPath: data].store(values) }
        if let position, let place = positions[reference] { object[keyPath: position] = place }
        return object
    }
}

extension JSONObject {
    /// Stores announced values, whose keys may be paths.
    mutating func store(_ values: JSONObject) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where !value.isNull {
            _ = DataPath(key)?.set(value, in: &self)
        }
    }
}
