import Flare

/// The last known place, shown after a start without the server; all of it is marked as stale.
///
/// It is part of the start: neither showing nor replacing it is an event.
extension DeviceController {
    /// Shows the remembered place, unless the server could be reached in this run.
    mutating func placeRemembered(_ place: RememberedPlace) {
        guard !links.wasServerUp, state.environments.isEmpty,
            place.environments.contains(where: { $0.id == place.environment })
        else { return }
        state.isStale = true
        state.environments = place.environments.byID
        applyDifferences(.environment, before: [:], after: state.environments, isEvent: false)
        state.environmentID = place.environment
        state.zones = place.zones.byID
        state.things = place.things.byID
        applyDifferences(.zone, before: [:], after: state.zones, isEvent: false)
        applyDifferences(.thing, before: [:], after: state.things, isEvent: false)
        state.isPlaceKnown = true
        if var device = place.device, memory.devices[place.environment] == device.id {
            // Nobody knows where it is now.
            device.position = nil
            (device.zone, device.nearest) = (nil, nil)
            state.device = device
            reading.rememberedDevice = device.id
        }
        changes.formUnion([.environment, .zone, .nearby, .device, .position, .angle])
    }

    /// The environment is read: what is shown is no longer stale.
    mutating func endStaleness() {
        guard state.isStale else { return }
        state.isStale = false
        for id in state.environments.keys { changes.insert(.object(ObjectReference(.environment, id))) }
        for id in state.zones.keys { changes.insert(.object(ObjectReference(.zone, id))) }
        for id in state.things.keys { changes.insert(.object(ObjectReference(.thing, id))) }
        // The availability of the things follows the link.
        changes.formUnion([.environment, .zone, .nearby, .device, .link])
    }
}
