/// What a thing is, to be made or changed as a whole; what is `nil` stays, or is the usual for a new thing.
package struct ThingEdit: Sendable, Hashable {
    package var name: String?
    package var description: String?
    /// The zone that it belongs to.
    package var zone: FlareID?
    package var position: Point3D?
    /// Values of the data by name; null removes one.
    package var data: [String: JSONValue] = [:]
    package var actions: [String]?

    package init() {}

    package var isEmpty: Bool { self == Self() }

    /// The members that change, each as a whole, as the server wants them.
    ///
    /// - Parameter old: The members of the thing now; empty for a new one.
    /// - Source: flare-protocol 2.5.
    package func members(over old: [String: JSONValue]) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let name { members["name"] = .string(name) }
        if let description { members["description"] = .string(description) }
        if let zone { members["zone"] = .string(zone.description) }
        if let position { members["position"] = position.json }
        if let actions { members["actions"] = .array(actions.map { .string($0) }) }
        if !data.isEmpty {
            let all = (old["data"]?.object ?? [:]).merging(data) { $1 }
            members["data"] = .object(all.filter { !$0.value.isNull || data[$0.key] == nil })
        }
        return members
    }
}
