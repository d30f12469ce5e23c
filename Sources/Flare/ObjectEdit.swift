package import JSON

/// What an environment, zone or thing is, to be made or changed as a whole; what is `nil` stays, or is the usual for a
/// new object.
package struct ObjectEdit: Sendable, Hashable {
    /// A member that can be taken away.
    package enum Optional: String, Sendable, Hashable, CaseIterable {
        case position, perimeter, geofence
    }

    package var name: String?
    package var description: String?
    /// The zone that a thing belongs to.
    package var zone: FlareID?
    /// Of a thing.
    package var position: Point3D?
    /// Whether the position came without a height: that of the thing stays.
    package var keepsHeight = false
    /// Of an environment or zone.
    package var perimeter: Box?
    /// Of an environment: degrees by which the plan's y axis is turned clockwise from north.
    package var angle: Double?
    /// Of an environment.
    package var geofence: Geofence?
    /// Values of the data by name; null removes one.
    package var data: JSONObject = [:]
    package var actions: [String]?
    /// What is taken away.
    package var removed: Set<Optional> = []

    package init() {}

    package var isEmpty: Bool { self == Self() }

    /// The members that change, each as a whole, as the server wants them; null for one that is taken away.
    ///
    /// - Parameter old: The members of the object now; empty for a new one.
    /// - Source: contrib/contract/flare-protocol.md, "2.5 PUT".
    package func members(over old: JSONObject) -> JSONObject {
        var members: JSONObject = [:]
        if let name { members["name"] = .string(name) }
        if let description { members["description"] = .string(description) }
        if let zone { members["zone"] = .string(zone.description) }
        if var position {
            if keepsHeight, let height = Point3D(json: old["position"])?.z { position.z = height }
            members["position"] = position.json
        }
        if let perimeter { members["perimeter"] = perimeter.json }
        if let angle { members["angle"] = .number(angle) }
        if let geofence { members["geofence"] = geofence.json }
        if let actions { members["actions"] = .array(actions.map { .string($0) }) }
        if !data.isEmpty {
            let all = (old["data"]?.object ?? [:]).merging(data) { $1 }
            members["data"] = .object(all.filter { !$0.value.isNull || data[$0.key] == nil })
        }
        for name in removed { members[name.rawValue] = .null }
        return members
    }

    /// The object with the change.
    package func applied(to object: JSONValue) -> JSONValue {
        let old = object.object ?? [:]
        return .object(old.merging(members(over: old)) { $1 }.filter { !$0.value.isNull })
    }
}
