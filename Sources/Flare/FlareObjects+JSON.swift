package import JSON

extension PlaceObject {
    /// The members that all classes have.
    fileprivate var common: JSONObject {
        [
            "_id": id.text, "name": .string(name), "description": .string(description),
            "data": .object(data), "actions": .array(actions.map { .string($0) }),
        ]
    }
}

extension FlareEnvironment {
    package var json: JSONValue {
        var members = common
        members["perimeter"] = perimeter?.json
        members["geofence"] = geofence?.json
        members["angle"] = .number(angle)
        return .object(members)
    }
}

extension FlareZone {
    package var json: JSONValue {
        var members = common
        members["environment"] = environment?.text
        members["perimeter"] = perimeter?.json
        return .object(members)
    }
}

extension FlareThing {
    package var json: JSONValue {
        var members = common
        members["environment"] = environment?.text
        members["zone"] = zone?.text
        members["position"] = position?.json
        members["created"] = created.isEmpty ? nil : .string(created)
        return .object(members)
    }
}

extension FlareDevice {
    package var json: JSONValue {
        var members = common
        members["environment"] = environment?.text
        members["zone"] = zone?.text
        members["nearest"] = nearest?.text
        members["position"] = position?.json
        return .object(members)
    }
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
