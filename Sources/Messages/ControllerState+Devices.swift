import Controller
import Flare
package import JSON

/// The devices of a daemon with several, as messages show them.
///
/// A state that was cut down to what a reader may see shows those that the reader may see.
extension ControllerState {
    /// `B/devices`: all devices by node, the daemon's own first; `nil` for a daemon that lists no further ones.
    package var devicesJSON: JSONValue? {
        saysWhoIsInZones ? .array(presences.map { $0.json(in: self) }) : nil
    }

    /// Whether zones say who is in them.
    package var saysWhoIsInZones: Bool { !nodes.isEmpty || !isPresent }

    /// Who is in a zone: `{"node","name","since"}` of each.
    ///
    /// - Parameter isSeen: Whether the device of a node counts.
    func occupants(of zone: FlareID, where isSeen: (String) -> Bool = { _ in true }) -> [JSONValue] {
        presences.filter { $0.zone == zone && isSeen($0.node) }.map { presence in
            var members: JSONObject = ["node": .string(presence.node), "name": .string(presence.name)]
            members["since"] = presence.since.map { .string($0.timestamp) }
            return .object(members)
        }
    }

    private var presences: [DevicePresence] {
        let own = device.map { [DevicePresence(own: $0, in: self)] } ?? []
        return own
            + nodes.values.sorted { $0.listed.node < $1.listed.node }.map { DevicePresence($0) }
    }
}

/// Where a device is.
private struct DevicePresence {
    let node: String
    let name: String
    /// What it is; `nil` for the daemon's own device.
    var kind: String?
    let zone: FlareID?
    let since: Instant?
    let fix: PositionFix?

    init(own device: FlareDevice, in state: ControllerState) {
        node = state.node
        name = device.name.isEmpty ? state.node : device.name
        (zone, since, fix) = (state.zoneID, state.zoneSince, state.fix)
    }

    init(_ other: DeviceNode) {
        node = other.listed.node
        let name = other.device?.name ?? ""
        self.name = name.isEmpty ? other.listed.name : name
        kind = other.listed.kind
        (zone, since, fix) = (other.zoneID, other.zoneSince, other.fix)
    }

    func json(in state: ControllerState) -> JSONValue {
        var members: JSONObject = ["node": .string(node), "name": .string(name)]
        members["kind"] = kind.map { .string($0) }
        members["zone"] = zone.flatMap { state.slugJSON(.zone, $0) } ?? .null
        members["since"] = since.map { .string($0.timestamp) }
        members["quality"] = .string((fix?.quality ?? .lost).rawValue)
        members["last_seen"] = fix.map { .string($0.at.timestamp) } ?? .null
        return .object(members)
    }
}
