package import Controller
package import Flare
package import JSON
package import People

/// Environments and zones as messages show them.
extension ControllerState {
    /// `B/environment`: the current one, or `{"id":null}`.
    package var environmentJSON: JSONValue {
        environmentID.flatMap { environmentJSON($0) } ?? ["id": .null]
    }

    /// `B/environments/<e>`; `nil` for one that is not known.
    package func environmentJSON(_ id: FlareID) -> JSONValue? {
        guard let environment = environments[id] else { return nil }
        var members = heading(.environment, id, name: environment.name, description: environment.description)
        members["angle"] = .number(environment.angle)
        members["data"] = .object(environment.data)
        members["perimeter"] = environment.perimeter?.json
        members["geofence"] = environment.geofence?.json
        return .object(members)
    }

    /// `B/zone`: the current one with `since`, or `{"id":null}`.
    package var zoneJSON: JSONValue {
        guard let zoneID, var members = zoneMembers(zoneID) else { return ["id": .null] }
        members["since"] = zoneSince.map { .string($0.timestamp) }
        return .object(members)
    }

    /// `B/zones/<z>`; `nil` for one that is not known.
    ///
    /// With several devices it says who is in it.
    package func zoneJSON(_ id: FlareID) -> JSONValue? {
        guard var members = zoneMembers(id) else { return nil }
        if saysWhoIsInZones {
            let present = occupants(of: id)
            members["occupied"] = .bool(!present.isEmpty)
            members["devices"] = .array(present)
        }
        return .object(members)
    }

    /// A zone as a reader may see it: with those of its devices that they may see, and as if there were no others.
    package func zoneJSON(_ id: FlareID, for reader: Reader) -> JSONValue? {
        guard saysWhoIsInZones, !reader.seesDevices else { return zoneJSON(id) }
        guard var members = zoneMembers(id) else { return nil }
        if reader.sees(node: node) || nodes.keys.contains(where: reader.sees(node:)) {
            let present = occupants(of: id) { reader.sees(node: $0) }
            members["occupied"] = .bool(!present.isEmpty)
            members["devices"] = .array(present)
        }
        return .object(members)
    }

    private func zoneMembers(_ id: FlareID) -> JSONObject? {
        guard let zone = zones[id] else { return nil }
        var members = heading(.zone, id, name: zone.name, description: zone.description)
        members["environment"] = zone.environment.flatMap { slugJSON(.environment, $0) }
        members["data"] = .object(zone.data)
        members["perimeter"] = zone.perimeter?.json
        return members
    }

    /// What every object of the model shows: `id`, `slug`, `name`, `description`, `ts`; `stale` if it is remembered.
    func heading(
        _ kind: FlareClass,
        _ id: FlareID,
        name: String,
        description: String
    ) -> JSONObject {
        var members: JSONObject = [
            "id": .string("\(id)"), "name": .string(name), "description": .string(description),
        ]
        members["slug"] = slugJSON(kind, id)
        members["ts"] = changedAt[ObjectReference(kind, id)].map { .string($0.timestamp) }
        if isStale { members["stale"] = true }
        return members
    }

    /// The short name by which topics know an object; `nil` before it has one.
    func slugJSON(_ kind: FlareClass, _ id: FlareID) -> JSONValue? {
        slugs[kind, id].map { .string($0) }
    }
}

extension JSONValue {
    /// An object of the model for readers who may not see the zone or the environment that contains it.
    package func withoutContainer(of kind: FlareClass) -> JSONValue {
        guard var members = object else { return self }
        members[kind == .thing ? "zone" : "environment"] = nil
        return .object(members)
    }
}
