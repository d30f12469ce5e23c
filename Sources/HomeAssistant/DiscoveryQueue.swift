/// A queue of things to announce, in order of arrival, with the newest version of each.
struct DiscoveryQueue: Sendable {
    private var things: [String: ThingDiscovery] = [:]
    private var order: ArraySlice<String> = []

    /// Whether they wait because of a birth message.
    private let areBorn: Bool

    init(_ things: [ThingDiscovery] = [], areBorn: Bool = false) {
        self.areBorn = areBorn
        for thing in things { put(thing) }
    }

    var isEmpty: Bool { things.isEmpty }

    subscript(slug: String) -> ThingDiscovery? { things.isEmpty ? nil : things[slug] }

    mutating func put(_ thing: ThingDiscovery) {
        if things.updateValue(thing, forKey: thing.slug) == nil { order.append(thing.slug) }
    }

    mutating func takeFirst() -> (thing: ThingDiscovery, isBirth: Bool)? {
        while let slug = order.popFirst() {
            if let thing = things.removeValue(forKey: slug) { return (thing, areBorn) }
        }
        return nil
    }

    /// - Returns: Whether it was in the queue.
    mutating func remove(_ slug: String) -> Bool { things.removeValue(forKey: slug) != nil }
}
