import Things

/// The properties of a thing that no entity of several has taken yet.
struct PropertyPool {
    private var free: [ThingProperty]

    init(_ properties: [ThingProperty]) { free = properties }

    /// Takes the first property with a role that fits.
    mutating func take(_ role: String, where fits: (ThingProperty) -> Bool) -> ThingProperty? {
        guard let index = free.firstIndex(where: { $0.roles.contains(role) && fits($0) }) else { return nil }
        return free.remove(at: index)
    }

    /// The first property with a role that fits; it stays.
    func first(_ role: String, where fits: (ThingProperty) -> Bool) -> ThingProperty? {
        free.first { $0.roles.contains(role) && fits($0) }
    }
}
