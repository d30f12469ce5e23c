package import Flare

/// One object as the server keeps it.
///
/// Its members are those that REST shows: `_id`, `__v` and `actions` are always there, `created` and `modified`
/// from the moment it is inserted; every other one is absent until it is set.
/// - Source: flare-protocol 1.
package struct FlareRecord: Sendable, Hashable {
    package let kind: FlareClass
    package let id: FlareID
    package var members: [String: JSONValue]

    /// An object with the members given; `_id` and `__v` are set, an absent `actions` becomes an empty list.
    package init(_ kind: FlareClass, _ id: FlareID, _ members: [String: JSONValue] = [:]) {
        self.kind = kind
        self.id = id
        self.members = members
        complete()
    }

    package var reference: ObjectReference { ObjectReference(kind, id) }
    /// As REST shows it.
    package var json: JSONValue { .object(members) }

    package var environment: FlareID? { member("environment") }
    package var zone: FlareID? { member("zone") }
    package var nearest: FlareID? { member("nearest") }
    package var position: Point3D? { Point3D(json: members["position"]) }
    package var perimeter: Box? { Box(json: members["perimeter"]) }
    /// The data when it is an object.
    package var data: [String: JSONValue]? { members["data"]?.object }

    /// The environment to which a change of the object belongs: its parent, or itself.
    var home: FlareID? { kind == .environment ? id : environment }

    /// Restores what no caller may change or leave out.
    mutating func complete() {
        members["_id"] = .string(id.description)
        members["__v"] = 0
        if members["actions"] == nil { members["actions"] = [] }
    }

    private func member(_ key: String) -> FlareID? {
        members[key]?.string.flatMap { FlareID($0) }
    }
}
