/// Cards in the order in which they came, the newest of each thing.
struct DiscoveryQueue: Sendable {
    private var cards: [String: ThingDiscovery] = [:]
    private var order: ArraySlice<String> = []

    /// Whether they wait because Home Assistant was born.
    private let areBorn: Bool

    init(_ cards: [ThingDiscovery] = [], areBorn: Bool = false) {
        self.areBorn = areBorn
        for card in cards { put(card) }
    }

    var isEmpty: Bool { cards.isEmpty }

    subscript(slug: String) -> ThingDiscovery? { cards.isEmpty ? nil : cards[slug] }

    mutating func put(_ card: ThingDiscovery) {
        if cards.updateValue(card, forKey: card.slug) == nil { order.append(card.slug) }
    }

    mutating func takeFirst() -> (card: ThingDiscovery, isBirth: Bool)? {
        while let slug = order.popFirst() {
            if let card = cards.removeValue(forKey: slug) { return (card, areBorn) }
        }
        return nil
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ slug: String) -> Bool { cards.removeValue(forKey: slug) != nil }
}
