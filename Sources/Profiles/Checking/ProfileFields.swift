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

    /// Whether an object at the top is a device type rather than a configuration.
    static func isDeviceType(_ value: PlacedValue) -> Bool {
        let sections = ["devices", "sdkConfig", "userExperience"]
        return !sections.contains { value[$0] != nil }
            && ["class", "oemModel", "managedProperties"].contains { value[$0] != nil }
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
