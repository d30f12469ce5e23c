import JSON

/// A set of names of fields, which differ by their bytes, as in JSON.
///
/// A set of strings would take `é` and `e` with an accent behind it for the same.
struct FieldNames: ExpressibleByArrayLiteral, Hashable {
    private var names = JSONObject()

    init(arrayLiteral names: String...) { self.init(names) }

    init(_ names: some Sequence<String>) { for name in names { insert(name) } }

    var count: Int { names.count }

    func contains(_ name: String) -> Bool { names[name] != nil }

    mutating func insert(_ name: String) { names[name] = .null }

    mutating func formUnion(_ other: FieldNames) { for (name, _) in other.names { insert(name) } }

    func union(_ other: FieldNames) -> FieldNames {
        var union = self
        union.formUnion(other)
        return union
    }
}
