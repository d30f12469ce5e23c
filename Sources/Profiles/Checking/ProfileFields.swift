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
    /// By length in bytes: most keys are compared with one name.
    private let byLength: [[String]]

    init(_ names: [String]) {
        self.names = names
        let longest = names.map(\.utf8.count).max() ?? 0
        byLength = (0...longest).map { length in names.filter { $0.utf8.count == length } }
    }

    func contains(_ name: String) -> Bool {
        let length = name.utf8.count
        return length < byLength.count && byLength[length].contains(name)
    }
}

/// Where each name of a list stands first.
struct FirstPlaces {
    /// So many are found faster without hashing.
    static let few = 12

    private let isLarge: Bool
    private var list: [(name: String, position: SourcePosition)] = []
    private var table: [String: SourcePosition] = [:]

    /// - Parameter count: How many names there will be.
    init(_ count: Int) {
        isLarge = count > Self.few
        if isLarge { table.reserveCapacity(count) } else { list.reserveCapacity(count) }
    }

    /// - Returns: Where the name stood before; `nil` the first time.
    mutating func insert(_ name: String, at position: SourcePosition) -> SourcePosition? {
        if isLarge {
            if let first = table[name] { return first }
            table[name] = position
        } else {
            for entry in list where entry.name == name { return entry.position }
            list.append((name, position))
        }
        return nil
    }
}
