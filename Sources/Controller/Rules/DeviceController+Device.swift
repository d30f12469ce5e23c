import Flare

/// Rule 2: the own device, one for each environment.
extension DeviceController {
    /// Rule 2: the saved device of this environment, else a new one.
    mutating func loadOrCreateDevice(in environment: FlareID) {
        if let saved = memory.devices[environment] {
            load(.loadDevice(saved, environment: environment))
        } else {
            createDevice(in: environment)
        }
    }

    private mutating func createDevice(in environment: FlareID) {
        let data: [String: JSONValue] = configuration.deviceMAC.map { ["mac": .string($0)] } ?? [:]
        let draft = DeviceDraft(
            name: configuration.deviceName,
            description: configuration.deviceDescription,
            data: data
        )
        let request = FlareRequest.createDevice(draft, environment: environment)
        // One is enough, however often it is missed while it is being made.
        if !loads.isRunning(request) { load(request) }
    }

    mutating func deviceLoaded(_ asked: FlareID, _ device: FlareDevice?, in environment: FlareID) {
        // An answer that is late: another device is ours here, or another environment is the current one.
        guard environment == state.environmentID, memory.devices[environment] == asked else { return }
        if let device, device.environment == environment {
            adopt(device, in: environment)
        } else {
            memory.devices[environment] = nil
            createDevice(in: environment)
        }
    }

    mutating func deviceCreated(_ device: FlareDevice, in environment: FlareID) {
        // Made for an environment that is no longer current, it is ours there all the same.
        memory.devices[environment] = device.id
        effects.append(.remember(.device(device.id, environment: environment)))
        if environment == state.environmentID { adopt(device, in: environment) }
    }

    private mutating func adopt(_ device: FlareDevice, in environment: FlareID) {
        let old = state.device
        var device = device
        if let old, old.id == device.id, sync.isPositionUnconfirmed { device.position = old.position }
        if isUnplaced(device, since: old) { device.position = nil }
        if old != device {
            state.device = device
            state.changedAt[ObjectReference(.device, device.id)] = now
            changes.formUnion([.device, .position, .angle, .nearby])
        }
        if let old, old.id == device.id {
            emitDifferences(of: device, from: old)
        } else {
            if let old { state.changedAt[ObjectReference(.device, old.id)] = nil }
            presence.isKnown = false
            sync.forgetUnconfirmedPositions()
        }
        forgetFailedReads { $0 == .device(environment) || $0 == .newDevice(environment) }
        resendHeading(isNew: old?.id != device.id)
        load(
            .loadPresence(
                device: device.id,
                environment: environment,
                position: device.position ?? .zero
            )
        )
    }

    /// Whether nobody has said yet where a device is: it stands where a server puts it when it makes one.
    ///
    /// To decide about its zone by that would be a guess; the server, where it decides, makes it.
    private func isUnplaced(_ device: FlareDevice, since old: FlareDevice?) -> Bool {
        guard configuration.presence != .server, device.position == .zero else { return false }
        guard let old, old.id == device.id else { return true }
        return old.position == nil
    }

    private mutating func emitDifferences(of device: FlareDevice, from old: FlareDevice) {
        var (before, after) = old.differences(to: device)
        let (reference, cause) = (ObjectReference(.device, device.id), ChangeEvent.Cause("server"))
        let (from, to) = (before.removeValue(forKey: "position"), after.removeValue(forKey: "position"))
        if from != to {
            emit(.device, "moved", reference, before: from, after: to, changed: ["position"], cause: cause)
        }
        guard !before.isEmpty || !after.isEmpty else { return }
        emit(
            .device,
            "changed",
            reference,
            before: .object(before),
            after: .object(after),
            changed: Set(before.keys).union(after.keys).sorted(),
            cause: cause
        )
    }
}
