package import Flare

/// What the members of one class of objects are, and how a client's JSON becomes them.
///
/// Casting is lenient as the origin's is: numbers for texts become text, numeric text becomes a number, unknown
/// members are dropped. What cannot be cast is an error, and nothing is made or changed.
/// - Source: flare-protocol 1, 2.4, 2.5.
package struct FlareSchema: Sendable {
    /// What a member is.
    package indirect enum Field: Sendable {
        case text, number, time, identifier
        /// A list of text.
        case texts
        /// Any JSON: the data.
        case any
        /// An object of these members and no others.
        case group([String: Field])
    }

    package let kind: FlareClass
    package let fields: [String: Field]

    package init(_ kind: FlareClass) {
        self.kind = kind
        fields =
            switch kind {
            case .environment: Self.environment
            case .zone: Self.zone
            case .thing: Self.thing
            case .device: Self.device
            }
    }

    /// The class as error messages name it.
    var model: String { kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst() }

    private static let shared: [String: Field] = [
        "_id": .identifier, "name": .text, "description": .text, "data": .any, "actions": .texts,
        "created": .time, "modified": .time,
    ]
    private static let point = Field.group(["x": .number, "y": .number, "z": .number])
    private static let perimeter = Field.group([
        "origin": point, "size": .group(["width": .number, "height": .number, "depth": .number]),
    ])
    private static let environment = shared.merging([
        "perimeter": perimeter, "angle": .number,
        "geofence": .group(["latitude": .number, "longitude": .number, "radius": .number]),
    ]) { $1 }
    private static let zone = shared.merging(["environment": .identifier, "perimeter": perimeter]) { $1 }
    private static let thing = shared.merging([
        "environment": .identifier, "zone": .identifier, "position": point,
    ]) { $1 }
    private static let device = thing.merging(["nearest": .identifier]) { $1 }
}

extension FlareSchema {
    /// A new object from the body of a POST.
    ///
    /// `created` is left to the hub, whatever the client says; a `modified` that is given stays.
    /// - Parameters:
    ///   - parents: The identifiers of the parents as the path has them; they win over the body's.
    ///   - makeID: Asked when the body brings no `_id`.
    package func record(
        from body: JSONValue,
        parents: [String: String] = [:],
        makeID: () -> FlareID
    ) throws(FlareSchemaError) -> FlareRecord {
        guard case .object(var body) = body else { throw .notAnObject(body) }
        for (name, id) in parents { body[name] = .string(id) }
        var members: [String: JSONValue] = [:]
        var failures: [FlareSchemaError.Failure] = []
        for (name, field) in fields {
            guard let value = body[name] else { continue }
            members[name] = cast(value, as: field, at: name, &failures)
        }
        guard failures.isEmpty else { throw .validation(model: model, failures) }
        members["created"] = nil
        if members["modified"]?.isNull == true { members["modified"] = nil }
        if members["data"] == .object([:]) { members["data"] = nil }
        if let key = members["data"].flatMap(Self.unstorableKey) { throw .unstorable(key: key) }
        return FlareRecord(kind, members["_id"]?.string.flatMap { FlareID($0) } ?? makeID(), members)
    }

    /// A member's name, anywhere in the data, that the origin's database refuses.
    static func unstorableKey(in value: JSONValue) -> String? {
        switch value {
        case .array(let elements): elements.lazy.compactMap(unstorableKey).first
        case .object(let members):
            members.keys.sorted().first { $0.hasPrefix("$") || $0.contains(".") }
                ?? members.values.lazy.compactMap(unstorableKey).first
        default: nil
        }
    }
}
