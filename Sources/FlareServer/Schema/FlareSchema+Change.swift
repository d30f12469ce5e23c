package import Flare

extension FlareSchema {
    /// Changes an object's members as the body of a PUT says.
    ///
    /// Members given are replaced whole, others stay; a dotted name reaches inside and makes what is missing;
    /// `$set` and `$unset` do as in MongoDB. `modified` is left to the hub. Either all of it is done or none.
    /// - Source: flare-protocol 2.5.
    package func apply(_ body: JSONValue, to members: inout [String: JSONValue]) throws(FlareSchemaError) {
        guard let body = body.object else { throw .notAnObject(body) }
        var result = members
        // In order of their names, so that `data` is set before `data.color`.
        for (name, value) in body.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("$") {
            try set(name, value, in: &result)
        }
        for (name, value) in body.sorted(by: { $0.key < $1.key }) where name.hasPrefix("$") {
            guard name == "$set" || name == "$unset" else {
                throw .refused("\(name) is no operator here; there are $set and $unset")
            }
            guard let names = value.object else { throw .refused("\(name) needs an object") }
            for (inner, value) in names.sorted(by: { $0.key < $1.key }) {
                if name == "$set" { try set(inner, value, in: &result) } else { unset(inner, in: &result) }
            }
        }
        members = result
    }

    private func set(
        _ name: String,
        _ value: JSONValue,
        in members: inout [String: JSONValue]
    ) throws(FlareSchemaError) {
        let path = Self.path(name)
        guard let first = path.first, let field = fields[first] else { return }
        guard path.count <= Self.maximumParts else {
            throw .refused("a path has more than \(Self.maximumParts) parts: \(name.prefix(80))…")
        }
        guard first != "_id" else { return try keepIdentity(value, members) }
        guard let (place, isInData) = place(of: path.dropFirst(), in: field) else { return }
        if isInData, path.dropFirst().contains(where: { $0.isEmpty || $0.hasPrefix("$") }) {
            throw .refused("\"\(name)\" is no path: a part is empty or starts with $")
        }
        if isInData, let key = Self.unstorableKey(in: value) { throw .unstorable(key: key) }
        var failures: [FlareSchemaError.Failure] = []
        let new = cast(value, as: place, at: name, &failures)
        if let failure = failures.first { throw .cast(model: model, failure) }
        // What is no object is ignored where a group stands; an object without a member of it empties it.
        if new == nil, value.object == nil { return }
        guard let whole = JSONValue.object(members).setting(path[...], to: new)?.object else {
            throw .refused("\"\(name)\" leads through a value that is no object")
        }
        members = whole
    }

    private func unset(_ name: String, in members: inout [String: JSONValue]) {
        let path = Self.path(name)
        guard path.count <= Self.maximumParts, let first = path.first, let field = fields[first],
            first != "_id",
            place(of: path.dropFirst(), in: field) != nil
        else { return }
        members = JSONValue.object(members).setting(path[...], to: nil)?.object ?? members
    }

    /// How deep a dotted name may lead.
    private static let maximumParts = 64

    private static func path(_ name: String) -> [String] {
        name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Another `_id` would make another object of it.
    private func keepIdentity(
        _ value: JSONValue,
        _ members: [String: JSONValue]
    ) throws(FlareSchemaError) {
        var failures: [FlareSchemaError.Failure] = []
        guard cast(value, as: .identifier, at: "_id", &failures) == members["_id"] else {
            throw .cast(model: model, .init(path: "_id", type: "ObjectId", value: value))
        }
    }

    /// What stands at the end of a path, and whether that is in the data; `nil` where nothing may stand.
    private func place(of path: ArraySlice<String>, in field: Field) -> (Field, isInData: Bool)? {
        if case .any = field { return (.any, true) }
        guard let next = path.first else { return (field, false) }
        guard case .group(let fields) = field, let inner = fields[next] else { return nil }
        return place(of: path.dropFirst(), in: inner)
    }
}

extension JSONValue {
    /// A copy with another value, or none, at the end of a path; a list is entered by number.
    /// - Returns: `nil` when something on the way is neither.
    fileprivate func setting(_ path: ArraySlice<String>, to value: JSONValue?) -> JSONValue? {
        guard let key = path.first else { return value }
        let rest = path.dropFirst()
        switch self {
        case .object(var members):
            if let old = members[key] {
                guard !rest.isEmpty else {
                    members[key] = value
                    return .object(members)
                }
                guard let new = old.setting(rest, to: value) else { return nil }
                members[key] = new
            } else if value != nil {
                members[key] = rest.isEmpty ? value : JSONValue.object([:]).setting(rest, to: value)
            }
            return .object(members)
        case .array(var elements):
            guard let index = Int(key), index >= 0, index <= elements.count else { return nil }
            if value == nil, index == elements.count { return self }
            let old = elements.dropFirst(index).first
            var new: JSONValue? = value ?? .null
            if !rest.isEmpty { new = (old ?? .object([:])).setting(rest, to: value) }
            guard let new else { return nil }
            if index < elements.count { elements[index] = new } else { elements.append(new) }
            return .array(elements)
        default:
            return value == nil ? .some(self) : .none
        }
    }
}
