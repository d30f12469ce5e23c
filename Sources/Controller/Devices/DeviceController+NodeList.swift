import Flare
import Things

/// The list of further devices, which may change while they move.
extension DeviceController {
    /// Follows a list that was changed while the daemon runs, without another configuration.
    ///
    /// - Parameters: See ``ControllerEvent/nodesListed(_:leavingPlace:removed:)``.
    mutating func nodesListed(
        _ listed: [ListedNode],
        leavingPlace leaving: Set<String>,
        removed: Set<String>
    ) {
        core.configuration.nodes = listed
        // Who is there again already is another device.
        if !removed.isEmpty { useNodes(listed.filter { !removed.contains($0.node) }) }
        for node in removed.sorted() { forgetDevice(of: node) }
        useNodes(listed)
        nodesLeavingPlace.formUnion(leaving)
        nodesLeavingPlace.subtract(listed.map(\.node))
        for node in leaving.sorted() where state.nodes[node] == nil {
            let devices = memory.nodes.removeValue(forKey: node)?.devices.values.sorted() ?? []
            for device in devices { removeFromPlace(device) }
        }
    }

    /// The next device of a node that was removed has the objects of the former one in the place, but neither its positions
    /// nor what was switched off.
    private mutating func forgetDevice(of node: String) {
        for sensor in SensorKind.allCases where memory.nodes[node]?.sensors[sensor] == false {
            memory.nodes[node]?.sensors[sensor] = nil
            effects.append(.remember(.node(node, .sensor(sensor, on: true))))
        }
        for environment in memory.nodes[node]?.devices.keys.sorted() ?? [] {
            memory.nodes[node]?.positions[environment] = .ofAnother
            effects.append(.remember(.node(node, .position(.ofAnother, environment: environment))))
        }
    }

    /// Removes a device of this daemon from the place.
    private mutating func removeFromPlace(_ device: FlareID) {
        effects.append(.flare(.remove(ObjectReference(.device, device), withContents: false)))
    }

    /// The server has made a device whose node was removed meanwhile.
    mutating func deviceMade(_ device: FlareID, of node: String, in environment: FlareID) {
        guard !nodesLeavingPlace.contains(node) else { return removeFromPlace(device) }
        memory.nodes[node, default: .init()].devices[environment] = device
        effects.append(.remember(.node(node, .device(device, environment: environment))))
    }

    /// The server has removed a device of a node, or not.
    mutating func deviceRemoved(_ device: FlareID, _ result: Result<FlareReply, FlareLinkError>) {
        switch result {
        // Somebody else has removed it.
        case .success, .failure(.unknownObject): core.clear(Self.removalAlert)
        case .failure(let error):
            core.raise(
                Self.removalAlert,
                .warning,
                "The device \(device) was removed from the list, but is still in the place: \(error). Remove it there."
            )
        }
    }

    private static let removalAlert = "device-removal"

    /// Adds and removes nodes; those that stay keep everything.
    mutating func useNodes(_ listed: [ListedNode]) {
        let wasAlone = state.nodes.isEmpty
        guard !wasAlone || !listed.isEmpty else { return }
        let names = Set(listed.map(\.node))
        for node in state.nodes.keys.filter({ !names.contains($0) }).sorted() { removeNode(node) }
        for entry in listed where entry.node != state.node {
            if let known = state.nodes[entry.node] {
                guard known.listed != entry else { continue }
                state.nodes[entry.node]?.listed = entry
                if known.listed.name != entry.name {
                    act(as: entry.node) { $0.renameOwnDevice(to: entry.name) }
                }
            } else {
                addNode(entry)
            }
        }
        changes.insert(.devices)
        // With a second device zones say who is in them, and without one they say what they said.
        guard wasAlone != state.nodes.isEmpty else { return }
        for zone in state.zones.keys { changes.insert(.object(ObjectReference(.zone, zone))) }
    }

    /// Gives the device of the node whose rules run its new name in the place, too.
    mutating func renameOwnDevice(to name: String) {
        guard state.isLinkUp, let environment = state.environmentID, let device = state.device,
            device.name != name
        else { return }
        let work = Job.Work.name(name, environment: environment)
        enqueue(
            Job(work: work, command: nil, cause: ChangeEvent.Cause("controller")),
            on: ObjectReference(.device, device.id)
        )
    }

    private mutating func addNode(_ entry: ListedNode) {
        var (node, work) = (DeviceNode(entry), DeviceNodeWork(memory.nodes[entry.node] ?? .init()))
        node.sensors.merge(work.memory.sensors) { $1 }
        // Publish everything once, including empty values.
        work.changes = [.environment, .zone, .nearby, .device, .link]
        for sensor in SensorKind.allCases { work.changes.insert(.sensor(sensor)) }
        (state.nodes[entry.node], nodeWork[entry.node]) = (node, work)
        changedNodeNames.insert(entry.node)
        let hasLifecycle = state.slices.index(of: Lifecycle.self) != nil
        let configuration = configuration
        act(as: entry.node) { controller in
            if hasLifecycle { controller.addSlices(Slices([Lifecycle(configuration.lifecycle)])) }
            for (sensor, isOn) in controller.state.sensors where !isOn {
                controller.effects.append(.switchSensor(sensor, on: false))
            }
            controller.readOwnDevice()
            controller.slicesFollow(.configurationApplied(configuration))
        }
    }

    private mutating func removeNode(_ name: String) {
        guard let node = state.nodes.removeValue(forKey: name),
            let work = nodeWork.removeValue(forKey: name)
        else { return }
        // Who comes back is the same device.
        memory.nodes[name] = work.memory
        if let device = node.device {
            failWaiting(
                for: ObjectReference(.device, device.id),
                Refusal(.staleTarget, "this device is not listed any more")
            )
            state.changedAt[ObjectReference(.device, device.id)] = nil
        }
        owners = owners.filter { $0.value != name }
        if let zone = node.zoneID { changes.insert(.occupancy(zone)) }
        nodesAt.move(name, .zone, from: node.zoneID, to: nil)
        nodesAt.move(name, .thing, from: node.nearbyID, to: nil)
        changedNodeNames.remove(name)
        for timer in ControllerTimer.ofNode { effects.append(.stopTimer(.node(name, timer))) }
    }
}
