package import Controller
import Flare
package import JSON
import Messages

/// What is near, and which sensors tell it.
extension DiscoveryPublisher {
    /// What Home Assistant reads of the nearby thing: `B/nearby/light` and `B/nearby/distance`; nothing while it is off.
    package func nearby(_ state: ControllerState) -> (light: JSONValue, distance: JSONValue)? {
        guard configuration.settings.isEnabled, state.hasDevice else { return nil }
        return ((nearbyKind ?? .full).json(of: state.nearby, state), state.nearbyDistanceJSON)
    }

    /// Tells when the nearby light has other capabilities than before; `nil` before it was announced.
    package var nearbyKindHash: Int? { nearbyKind?.hashValue }

    /// Whether a light can do what no other could when it was announced.
    func widensLights(_ id: FlareID, of state: ControllerState) -> Bool {
        guard let thing = state.things[id], let kind = LightKind(state.shape(of: thing))
        else {
            return false
        }
        return nearbyKind.map { !$0.covers(kind) } ?? true
    }

    // MARK: Sensors

    /// The sensors that have a link or give readings, and those that have had a switch and are off, or may need no link.
    ///
    /// Without its switch nobody could switch a sensor on again. Beacons and positions can come from receivers over the
    /// broker: that there were none yet in this run says nothing, and a switch that goes and comes back at each start is
    /// another entity for Home Assistant.
    mutating func sensorKinds(_ state: ControllerState) -> Set<SensorKind> {
        sensors.formUnion(seenSensors(state))
        let announced = Set(Self.names(held[.own]?.components ?? ""))
        let kept = SensorKind.allCases.filter {
            (state.sensors[$0] != true || $0 == .beacons || $0 == .cmx)
                && announced.contains(ComponentName(.switch, $0.rawValue))
        }
        return sensors.union(kept)
    }

    func seenSensors(_ state: ControllerState) -> Set<SensorKind> {
        var seen: Set<SensorKind> = []
        if links.contains("gps") || state.location != nil { seen.insert(.gps) }
        if links.contains("compass") || state.headingAt != nil { seen.insert(.compass) }
        if links.contains("bluetooth") || state.fix?.source == "beacons" { seen.insert(.beacons) }
        if state.fix?.source == "cmx" { seen.insert(.cmx) }
        return seen
    }
}
