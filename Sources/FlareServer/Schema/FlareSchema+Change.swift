package import JSON

extension FlareSchema {
    /// Applies the body of a PUT to an object's members, all or nothing.
    ///
    /// Given members are replaced, others stay. A dotted name sets a nested value and creates missing objects; `$set`
    /// and `$unset` work as in MongoDB. The hub sets `modified`.
    /// - Source: contrib/contract/flare-protocol.md, "2.5 PUT".
    package func apply(_ body: JSONValue, to members: inout JSONObject) throws(FlareSchemaError) {
        guard let body = body.object else { throw .notAnObject(body) }
        var result = members
        // Sorted, so that `data` is set before `data.color`.
        for (name, value) in body.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("$") {
            try set(name, value, in: &result)
        }
        for (name, value) in body.sorted(by: { $0.key < $1.key }) where name.hasPrefix("$") {
            guard name == "$set" || name == "$unset" else {
                throw .refused("\(name) is not supported; use $set or $unset")
            }
            guard let names = value.object else { throw .refused("the value of \(name) must be an object") }
            for (inner, value) in names.sorted(by: { $0.key < $1.key }) {
                if name == "$set" { try set(inner, value, in: &result) } else { unset(inner, in: &result) }
            }
        }
        members = result
    }

    private func set(
        _ name: String,
        _ value: JSONValue,
        in members: inout JSONObject
    ) throws(FlareSchemaError) {
        let path = Self.path(name)
        guard let first = path.first, let field = fields[first] else { return }
        guard path.count <= Self.maximumParts else {
            throw .refused("a path has more than \(Self.maximumParts) parts: \(name.prefix(80))…")
        }
        guard first != "_id" else { return try checkIdentity(value, members) }
        guard let (place, isInData) = place(of: path.dropFirst(), in: field) else { return }
        if isInData, path.dropFirst().contains(where: { $0.isEmpty || $0.hasPrefix("$") }) {
            throw .refused("\"\(name)\" is not a path: a part is empty or starts with $")
        }
        if isInData, let key = Self.unstorableKey(in: value) { throw .unstorable(key: key) }
        var failures: [FlareSchemaError.Failure] = []
        let new = cast(value, as: place, at: name, &failures)
        if let failure = failures.first { throw .cast(model: model, failure) }
        // A non-object is ignored for a group; an object without known members removes the group.
        if new == nil, value.object == nil { return }
        guard let whole = JSONValue.object(members).setting(path[...], to: new)?.object else {
            throw .refused("\"\(name)\" leads through a value that is not an object")
        }
        members = whole
    }

    private func unset(_ name: String, in members: inout JSONObject) {
        let path = Self.path(name)
        guard path.count <= Self.maximumParts, let first = path.first, let field = fields[first],
            first != "_id",
            place(of: path.dropFirst(), in: field) != nil
        else { return }
        members = JSONValue.object(members).setting(path[...], to: nil)?.object ?? members
    }

    /// The depth limit of a dotted name.
    private static let maximumParts = 64

    private static func path(_ name: String) -> [String] {
        name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// - Throws: If the value is not the current `_id`, which cannot be changed.
    private func checkIdentity(
        _ value: JSONValue,
        _ members: JSONObject
    ) throws(FlareSchemaError) {
        var failures: [FlareSchemaError.Failure] = []
        guard cast(value, as: .identifier, at: "_id", &failures) == members["_id"] else {
            throw .cast(model: model, .init(path: "_id", type: "ObjectId", value: value))
        }
    }

    /// The field at a path, and whether it is in the data; `nil` when there is none.
    private func place(of path: ArraySlice<String>, in field: Field) -> (Field, isInData: Bool)? {
        if case .any = field { return (.any, true) }
        guard let next = path.first else { return (field, false) }
        guard case .group(let fields) = field, let inner = fields[next] else { return nil }
        return place(of: path.dropFirst(), in: inner)
    }
}

extension JSONValue {
    /// A copy with the value at a path replaced or removed; parts of the path in lists are indices.
    /// - Returns: `nil` when the path leads through another kind of value.
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
