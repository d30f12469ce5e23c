import Flare
import JSON

/// An object whose versions can be compared field by field.
protocol FieldComparable {
    /// The published fields by name, without those that are unset.
    var fields: JSONObject { get }
}

extension FieldComparable {
    /// The fields that differ in a later version, before and after; of `data`, only the keys that differ.
    func differences(to later: Self) -> (before: JSONObject, after: JSONObject) {
        var (before, after) = (fields, later.fields)
        Self.leaveDifferences(&before, &after)
        if case (.object(var old)?, .object(var new)?) = (before["data"], after["data"]) {
            Self.leaveDifferences(&old, &new)
            (before["data"], after["data"]) = (.object(old), .object(new))
        }
        return (before, after)
    }

    private static func leaveDifferences(
        _ before: inout JSONObject,
        _ after: inout JSONObject
    ) {
        let same = before.keys.filter { before[$0] == after[$0] }
        for key in same {
            before[key] = nil
            after[key] = nil
        }
    }

    fileprivate func fields(
        _ name: String,
        _ description: String,
        _ actions: [String],
        _ data: JSONObject,
        _ others: KeyValuePairs<String, JSONValue?>
    ) -> JSONObject {
        var fields = JSONObject(present: others)
        fields["name"] = .string(name)
        fields["description"] = .string(description)
        fields["actions"] = .array(actions.map { .string($0) })
        fields["data"] = .object(data)
        return fields
    }
}

extension FlareEnvironment: FieldComparable {
    var fields: JSONObject {
        fields(
            name,
            description,
            actions,
            data,
            ["perimeter": perimeter?.json, "geofence": geofence?.json, "angle": .number(angle)]
        )
    }
}

extension FlareZone: FieldComparable {
    var fields: JSONObject {
        fields(name, description, actions, data, ["perimeter": perimeter?.json])
    }
}

extension FlareThing: FieldComparable {
    var fields: JSONObject {
        fields(
            name,
            description,
            actions,
            data,
            ["zone": zone.map { .string("\($0)") }, "position": position?.json]
        )
    }
}

extension FlareDevice: FieldComparable {
    /// Without zone and nearby thing, which have events of their own.
    var fields: JSONObject {
        fields(name, description, actions, data, ["position": position?.json])
    }
}

extension Box {
    fileprivate var json: JSONValue {
        [
            "origin": origin.json,
            "size": ["width": .number(width), "height": .number(height), "depth": .number(depth)],
        ]
    }
}

extension Geofence {
    fileprivate var json: JSONValue {
        [
            "latitude": .number(centre.latitude), "longitude": .number(centre.longitude),
            "radius": .number(radiusMetres),
        ]
    }
}
