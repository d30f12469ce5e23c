/// An object that is being checked, with its path.
struct ProfileFields {
    let members: [PlacedValue.Member]
    let position: SourcePosition
    let path: ValuePath

    /// The value of a key; of one that stands twice, which is an error, the first.
    subscript(key: String) -> PlacedValue? {
        // A loop: `first(where:)` costs a closure for each of many thousand fields.
        for member in members where member.key == key { return member.value }
        return nil
    }

    func path(_ key: String) -> ValuePath { .member(path, key) }
}

/// The keys that an object may have.
struct KnownKeys {
    let names: [String]
    private let set: Set<String>

    init(_ names: String...) { (self.names, set) = (names, Set(names)) }

    func contains(_ name: String) -> Bool { set.contains(name) }
}
