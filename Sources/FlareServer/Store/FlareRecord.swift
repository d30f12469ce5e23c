package import Flare
package import JSON
package import People

/// A stored object.
///
/// Its members are those of its JSON: always `_id`, `__v` and `actions`; `created` and `modified` once it is inserted;
/// others once they are set.
/// - Source: contrib/contract/flare-protocol.md, "1. Objects".
package struct FlareRecord: Sendable, Hashable {
    package let kind: FlareClass
    package let id: FlareID
    package var members: JSONObject

    /// Creates an object; sets `_id` and `__v`, and `actions` to an empty list if absent.
    package init(_ kind: FlareClass, _ id: FlareID, _ members: JSONObject = [:]) {
        self.kind = kind
        self.id = id
        self.members = members
        complete()
    }

    package var reference: ObjectReference { ObjectReference(kind, id) }
    /// The JSON of REST.
    package var json: JSONValue { .object(members) }

    package var environment: FlareID? { member("environment") }
    package var zone: FlareID? { member("zone") }
    package var nearest: FlareID? { member("nearest") }
    /// With what contains it, for the rights; `nil` for a device.
    package var accessObject: AccessObject? { AccessObject(reference, zone: zone, environment: environment) }
    package var position: Point3D? { Point3D(json: members["position"]) }
    package var perimeter: Box? { Box(json: members["perimeter"]) }
    /// The data, if it is an object.
    package var data: JSONObject? { members["data"]?.object }

    /// Its environment; for an environment, itself.
    var home: FlareID? { kind == .environment ? id : environment }

    /// Restores the members that cannot be changed or omitted.
    mutating func complete() {
        members["_id"] = .string(id.description)
        members["__v"] = 0
        if members["actions"] == nil { members["actions"] = [] }
    }

    private func member(_ key: String) -> FlareID? {
        members[key]?.string.flatMap { FlareID($0) }
    }
}
