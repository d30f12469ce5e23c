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

    /// The same with positions and what is near, of a state that was cut down, in which no further device may be left.
    package var placedDevicesJSON: JSONValue { .array(presences.compactMap { placedDeviceJSON($0.node) }) }

    /// A device of ``placedDevicesJSON``; `nil` for one that is not listed.
    package func placedDeviceJSON(_ node: String) -> JSONValue? {
        if node == self.node { return device.map { placed(DevicePresence(own: $0, in: self), self) } }
        guard let other = nodes[node], let own = standing(for: node) else { return nil }
        return placed(DevicePresence(other), own)
    }

    /// The nodes of the devices of ``devicesJSON``, in its order.
    package var listedNodes: [String] { saysWhoIsInZones ? presences.map(\.node) : [] }

    /// - Parameter own: The state as the device's node has it.
    private func placed(_ presence: DevicePresence, _ own: ControllerState) -> JSONValue {
        let (listed, device) = (presence.json(in: self), own.deviceJSON)
        guard var members = listed.object else { return listed }
        for key in ["position", "accuracy_m", "angle", "moving", "source"] { members[key] = device[key] }
        members["nearby"] = own.nearbyID.flatMap { slugJSON(.thing, $0) } ?? .null
        return .object(members)
    }

    /// What people call a device, by its node; `nil` is the daemon's own.
    package func deviceName(_ node: String?) -> String {
        guard let node else { return device.map { DevicePresence(own: $0, in: self).name } ?? self.node }
        return nodes[node].map { DevicePresence($0).name } ?? node
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
    let seenAt: Instant?

    init(own device: FlareDevice, in state: ControllerState) {
        node = state.node
        name = device.name.isEmpty ? state.node : device.name
        (zone, since, fix, seenAt) = (state.zoneID, state.zoneSince, state.fix, state.seenAt)
    }

    init(_ other: DeviceNode) {
        node = other.listed.node
        let name = other.device?.name ?? ""
        self.name = name.isEmpty ? other.listed.name : name
        kind = other.listed.kind
        (zone, since, fix, seenAt) = (other.zoneID, other.zoneSince, other.fix, other.seenAt)
    }

    func json(in state: ControllerState) -> JSONValue {
        var members: JSONObject = ["node": .string(node), "name": .string(name)]
        members["kind"] = kind.map { .string($0) }
        members["zone"] = zone.flatMap { state.slugJSON(.zone, $0) } ?? .null
        members["since"] = since.map { .string($0.timestamp) }
        members["quality"] = .string((fix?.quality ?? .lost).rawValue)
        members["last_seen"] = seenAt.map { .string($0.timestamp) } ?? .null
        return .object(members)
    }
}
