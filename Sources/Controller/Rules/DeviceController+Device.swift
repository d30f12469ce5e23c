import Flare
import JSON

/// Rule 2: this device, represented by one Flare device per environment.
extension DeviceController {
    /// Loads the saved device of an environment, or creates one.
    mutating func loadOrCreateDevice(in environment: FlareID) {
        guard state.hasDevice else { return }
        if let saved = memory.devices[environment] {
            core.load(.loadDevice(saved, environment: environment))
        } else {
            createDevice(in: environment)
        }
    }

    private mutating func createDevice(in environment: FlareID) {
        let draft =
            draft
            ?? DeviceDraft(
                name: configuration.deviceName,
                description: configuration.deviceDescription,
                data: configuration.deviceMAC.map { ["mac": .string($0)] } ?? [:]
            )
        let request = FlareRequest.createDevice(draft, environment: environment)
        // Never send a second request while one is pending: it would create a second device.
        if !core.loads.isRunning(request) { core.load(request) }
    }

    mutating func deviceLoaded(_ asked: FlareID, _ device: FlareDevice?, in environment: FlareID) {
        // Ignore a late reply for another device or environment.
        guard environment == state.environmentID, memory.devices[environment] == asked else { return }
        if let device, device.environment == environment {
            adopt(device, in: environment)
        } else {
            memory.devices[environment] = nil
            createDevice(in: environment)
        }
    }

    mutating func deviceCreated(_ device: FlareDevice, in environment: FlareID) {
        // Remember the device even if its environment is no longer current.
        memory.devices[environment] = device.id
        effects.append(.remember(.device(device.id, environment: environment)))
        forgetFormerDevice(in: environment)
        if environment == state.environmentID { adopt(device, in: environment) }
    }

    private mutating func adopt(_ device: FlareDevice, in environment: FlareID) {
        let old = state.device
        var device = device
        if let old, old.id == device.id, sync.isPositionUnconfirmed { device.position = old.position }
        let isSuccessor = hasPositionOfAnother(in: environment)
        if isSuccessor || isUnplaced(device, since: old) { device.position = nil }
        if old != device {
            state.device = device
            state.changedAt[ObjectReference(.device, device.id)] = now
            changes.formUnion([.device, .position, .angle, .nearby])
        }
        let isRemembered = reading.rememberedDevice != nil
        reading.rememberedDevice = nil
        if let old, old.id == device.id, !isRemembered {
            emitDifferences(of: device, from: old)
        } else {
            if let old, old.id != device.id { state.changedAt[ObjectReference(.device, old.id)] = nil }
            presence.isKnown = false
            recallPosition(in: environment)
            sync.forgetUnconfirmedPositions()
        }
        core.forgetFailedReads { $0 == .device(environment) || $0 == .newDevice(environment) }
        resendHeading(isNew: old?.id != device.id)
        if isSuccessor, let seat { renameOwnDevice(to: seat.name) }
        core.load(
            .loadPresence(
                device: device.id,
                environment: environment,
                position: device.position ?? .zero
            )
        )
    }

    /// Whether a device still has the default position that servers give to new devices.
    ///
    /// The default must not decide the zone, unless the server decides
    /// (``ControllerConfiguration/Presence/server``).
    private func isUnplaced(_ device: FlareDevice, since old: FlareDevice?) -> Bool {
        guard configuration.presence != .server, device.position == .zero else { return false }
        guard let old, old.id == device.id else { return true }
        return old.position == nil
    }

    private mutating func emitDifferences(of device: FlareDevice, from old: FlareDevice) {
        var difference = ObjectDifference(.device, from: old.json, to: device.json)
        let (reference, cause) = (ObjectReference(.device, device.id), ChangeEvent.Cause("server"))
        let (from, to) = difference.remove("position")
        if from != to { core.emitMoved(reference, from: from, to: to, cause: cause) }
        core.emit(difference, of: reference, cause: cause)
    }
}
