import Controller
import Flare
import JSON
import Messages

/// The model in the form in which it is read over HTTP.
extension ControllerState {
    /// Most bytes of the data that a thing is shown with.
    private static let maximumDataBytes = 48 * 1024

    /// An environment, zone or thing; `nil` for one that is not known.
    func webJSON(_ object: ObjectReference) -> JSONValue? {
        switch object.kind {
        case .environment: environmentJSON(object.id)
        case .zone: zoneJSON(object.id)
        case .thing: thingWebJSON(object.id)
        case .device: nil
        }
    }

    /// The thing of `B/things/<t>` with `position`, `data` and `available`.
    private func thingWebJSON(_ id: FlareID) -> JSONValue? {
        guard let thing = things[id], var members = thingJSON(id)?.object else { return nil }
        members["position"] = thing.position?.json
        let data = JSONValue.object(thing.data)
        // Larger data can be read on the broker.
        if data.bytes.count <= Self.maximumDataBytes { members["data"] = data }
        members["available"] = .bool(thingAvailability(id) == "online")
        return .object(members)
    }

    /// The environments, zones or things, by short name.
    func webObjects(_ kind: FlareClass) -> [ObjectReference] {
        let ids: [FlareID] =
            switch kind {
            case .environment: Array(environments.keys)
            case .zone: Array(zones.keys)
            case .thing: Array(things.keys)
            case .device: []
            }
        return ids.map { (slugs[kind, $0] ?? "", $0) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { ObjectReference(kind, $0.1) }
    }
}
