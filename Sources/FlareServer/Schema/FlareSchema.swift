package import Flare
package import JSON

/// The members of a class of objects, and the conversion of a client's JSON to them.
///
/// Casting is as lenient as in the original server: a number becomes a text, a numeric text a number, and unknown
/// members are dropped. Values that cannot be cast are errors, and nothing is created or changed.
/// - Source: contrib/contract/flare-protocol.md, "1. Objects"; "2.4 Errors"; "2.5 PUT".
package struct FlareSchema: Sendable {
    /// The type of a member.
    package indirect enum Field: Sendable {
        case text, number, time, identifier
        /// A list of texts.
        case texts
        /// Any JSON value: the data.
        case any
        /// An object with these members only.
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

    /// The class name in error messages.
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
    /// Creates an object from the body of a POST.
    ///
    /// The hub sets `created`, and `modified` if it is absent.
    /// - Parameters:
    ///   - parents: The identifiers of the parents in the path; they override the body's.
    ///   - makeID: Called if the body has no `_id`.
    package func record(
        from body: JSONValue,
        parents: [String: String] = [:],
        makeID: () -> FlareID
    ) throws(FlareSchemaError) -> FlareRecord {
        guard case .object(var body) = body else { throw .notAnObject(body) }
        for (name, id) in parents { body[name] = .string(id) }
        var members: JSONObject = [:]
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

    /// The first name in the data that the original database refuses.
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
