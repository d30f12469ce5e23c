package import Flare
package import People

/// A device that is listed beside the daemon's own.
package struct ListedNode: Sendable, Hashable {
    /// The level of its topics, `[a-z0-9-]`.
    package var node: String
    /// Its name for people.
    package var name: String
    /// What it is, such as `phone`: the description of a newly created device.
    package var kind: String
    /// The name of the user whose it is; `nil` for nobody's.
    package var user: String?

    package init(node: String, name: String, kind: String = "other", user: String? = nil) {
        (self.node, self.name, self.kind, self.user) = (node, name, kind, user)
    }
}

/// What the node of a further device knows of its own, beside the place that all devices share.
///
/// The members have the meaning of those of ``ControllerState`` with the same name, with which they are exchanged while the
/// rules run for this node.
/// - Source: contrib/design/0112-several-devices.md.
package struct DeviceNode: Sendable, Hashable {
    package var listed: ListedNode
    /// Its name, while its values are its own.
    var furtherNode: String?
    /// The number of its last event.
    package var sequence = 0
    package var zoneID: FlareID?
    package var zoneSince: Instant?
    package var nearbyID: FlareID?
    package var nearbySince: Instant?
    package var device: FlareDevice?
    package var fix: PositionFix?
    package var seenAt: Instant?
    package var headingAt: Instant?
    package var measuredAngle: Double?
    package var location: Location?
    package var locatedAt: Instant?
    package var sensors: [SensorKind: Bool] = [:]
    package var suspendedSensors: Set<SensorKind> = []
    package var countedBeacons: [FlareID: BeaconCondition] = [:]
    package var alerts: [String: Alert] = [:]
    package var slices = Slices()

    package init(_ listed: ListedNode) {
        (self.listed, furtherNode) = (listed, listed.node)
        for sensor in SensorKind.allCases { sensors[sensor] = true }
    }
}

/// What the rules keep of a further node that nobody is shown.
struct DeviceNodeWork: Sendable {
    /// Its device in each environment, and what somebody has switched.
    var memory: PersistedState.Node
    var rememberedDevice: FlareID?
    var presence = PresenceTracker()
    var sync = DeviceSync()
    var sliceWork = SliceWork()
    /// Reads of its own that failed.
    var failures: Set<Reading> = []
    /// What has changed since its last snapshot.
    var changes: Set<StateChange> = []
    var isStartPublished = false

    init(_ memory: PersistedState.Node) { self.memory = memory }
}

extension PersistedState {
    /// What earlier runs have saved of a further node.
    package struct Node: Sendable, Hashable {
        /// The identifier of its device in each environment.
        package var devices: [FlareID: FlareID] = [:]
        package var sensors: [SensorKind: Bool] = [:]
        /// How old its position in each environment is; nothing of one that nobody has measured.
        package var positions: [FlareID: MeasuredPosition] = [:]

        package init(devices: [FlareID: FlareID] = [:]) { self.devices = devices }
    }
}

extension ControllerState {
    /// Exchanges what is the daemon's own with what is a node's; a second time, it is as before.
    mutating func exchange(with node: inout DeviceNode) {
        swap(&furtherNode, &node.furtherNode)
        swap(&sequence, &node.sequence)
        swap(&zoneID, &node.zoneID)
        swap(&zoneSince, &node.zoneSince)
        swap(&nearbyID, &node.nearbyID)
        swap(&nearbySince, &node.nearbySince)
        swap(&device, &node.device)
        swap(&fix, &node.fix)
        swap(&seenAt, &node.seenAt)
        swap(&headingAt, &node.headingAt)
        swap(&measuredAngle, &node.measuredAngle)
        swap(&location, &node.location)
        swap(&locatedAt, &node.locatedAt)
        swap(&sensors, &node.sensors)
        swap(&suspendedSensors, &node.suspendedSensors)
        swap(&countedBeacons, &node.countedBeacons)
        swap(&alerts, &node.alerts)
        swap(&slices, &node.slices)
    }

    /// Whether this state is that of a device.
    package var hasDevice: Bool { furtherNode != nil || isPresent }

    /// The state as a further node publishes it: the same place, with what is this node's; `nil` for a node that is not there.
    ///
    /// Not to be retained, as the state itself.
    package func standing(for node: String) -> ControllerState? {
        guard var own = nodes[node] else { return nil }
        var state = self
        state.exchange(with: &own)
        return state
    }

    /// The object of rights on where a device is: all devices, in a daemon with one.
    ///
    /// - Parameter id: A device of the place; `nil` for the one whose state this is.
    package func accessObject(ofDevice id: FlareID? = nil) -> AccessObject {
        guard furtherNode != nil || !nodes.isEmpty else { return .devices }
        guard let id, id != device?.id else { return .device(furtherNode ?? node) }
        return nodes.values.first { $0.device?.id == id }.map { .device($0.listed.node) } ?? .devices
    }

    /// The further devices that a reader may see, and of those what is in the rest of this state.
    func nodes(seenBy reader: Reader) -> [String: DeviceNode] {
        guard !nodes.isEmpty else { return [:] }
        return nodes.filter { reader.sees(node: $0.key) }.mapValues { node in
            var node = node
            if let zone = node.zoneID, zones[zone] == nil { (node.zoneID, node.zoneSince) = (nil, nil) }
            if let thing = node.nearbyID, things[thing] == nil {
                (node.nearbyID, node.nearbySince) = (nil, nil)
            }
            return node
        }
    }
}
