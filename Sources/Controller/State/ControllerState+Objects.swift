package import Flare
import JSON
import Things

extension Sequence where Element: PlaceObject {
    /// The first object of each identifier.
    var byID: [FlareID: Element] { Dictionary(map { ($0.id, $0) }) { first, _ in first } }
}

/// What is known of an object.
extension ControllerState {
    package func object(_ object: ObjectReference) -> (any PlaceObject)? {
        switch object.kind {
        case .environment: environments[object.id]
        case .zone: zones[object.id]
        case .thing: things[object.id]
        case .device: device?.id == object.id ? device : nil
        }
    }

    func data(of object: ObjectReference) -> JSONObject? {
        object.kind == .thing ? things[object.id]?.data : self.object(object)?.data
    }

    /// An object's name; `nil` if it has none or is unknown.
    package func name(of object: ObjectReference) -> String? {
        let name = object.kind == .thing ? things[object.id]?.name : self.object(object)?.name
        return name?.isEmpty == false ? name : nil
    }

    func isNearby(_ object: ObjectReference) -> Bool {
        object.kind == .thing && object.id == nearbyID
    }

    func isKnown(_ object: ObjectReference) -> Bool { self.object(object) != nil }

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
