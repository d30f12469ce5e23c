package import JSON

/// The objects as JSON in the server's form, from which they can be parsed again.
extension FlareEnvironment {
    package var json: JSONValue {
        var members = common(id, name, description, data, actions)
        members["perimeter"] = perimeter?.json
        members["geofence"] = geofence?.json
        members["angle"] = .number(angle)
        return .object(members)
    }
}

extension FlareZone {
    package var json: JSONValue {
        var members = common(id, name, description, data, actions)
        members["environment"] = environment?.text
        members["perimeter"] = perimeter?.json
        return .object(members)
    }
}

extension FlareThing {
    package var json: JSONValue {
        var members = common(id, name, description, data, actions)
        members["environment"] = environment?.text
        members["zone"] = zone?.text
        members["position"] = position?.json
        members["created"] = created.isEmpty ? nil : .string(created)
        return .object(members)
    }
}

extension FlareDevice {
    package var json: JSONValue {
        var members = common(id, name, description, data, actions)
        members["environment"] = environment?.text
        members["zone"] = zone?.text
        members["nearest"] = nearest?.text
        members["position"] = position?.json
        return .object(members)
    }
}

private func common(
    _ id: FlareID,
    _ name: String,
    _ description: String,
    _ data: JSONObject,
    _ actions: [String]
) -> JSONObject {
    [
        "_id": id.text, "name": .string(name), "description": .string(description), "data": .object(data),
        "actions": .array(actions.map { .string($0) }),
    ]
}

extension FlareID {
    fileprivate var text: JSONValue { .string(description) }
}

extension Box {
    /// `{"origin":{…},"size":{"width","height","depth"}}`, metres.
    package var json: JSONValue {
        [
            "origin": origin.json,
            "size": ["width": .number(width), "height": .number(height), "depth": .number(depth)],
        ]
    }
}

extension Geofence {
    /// `{"latitude","longitude","radius"}`, degrees and metres.
    package var json: JSONValue {
        [
            "latitude": .number(centre.latitude), "longitude": .number(centre.longitude),
            "radius": .number(radiusMetres),
        ]
    }
}
