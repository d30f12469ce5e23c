import Flare
import JSON
import Things

/// What is known of an object.
extension ControllerState {
    func data(of object: ObjectReference) -> JSONObject? {
        switch object.kind {
        case .environment: environments[object.id]?.data
        case .zone: zones[object.id]?.data
        case .thing: things[object.id]?.data
        case .device: device?.id == object.id ? device?.data : nil
        }
    }

    func isNearby(_ object: ObjectReference) -> Bool {
        object.kind == .thing && object.id == nearbyID
    }

    func isKnown(_ object: ObjectReference) -> Bool {
        switch object.kind {
        case .environment: environments[object.id] != nil
        case .zone: zones[object.id] != nil
        case .thing: things[object.id] != nil
        case .device: device?.id == object.id
        }
    }

    /// The environment with the nearest centre among those whose geofence contains the GPS location.
    var environmentAtLocation: FlareID? {
        guard sensors[.gps] == true, let place = location?.point else { return nil }
        return
            environmentsByName
            .compactMap { environment in environment.geofence.map { (environment.id, $0) } }
            .filter { $0.1.includes(place) }
            .min { $0.1.centre.metres(to: place) < $1.1.centre.metres(to: place) }?.0
    }
}

extension FlareThing {
    /// Whether the thing's data identify a beacon.
    var hasBeacon: Bool { DataKey.isBeacon(data) }
}

extension FlareClass {
    /// The event topic for objects of this class.
    var topic: ChangeEvent.Topic {
        switch self {
        case .environment: .environment
        case .zone: .zone
        case .thing: .thing
        case .device: .device
        }
    }
}
