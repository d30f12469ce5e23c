/// Cards in the order in which they came, the newest of each thing.
struct WaitingCards: Sendable {
    private var cards: [String: ThingCard] = [:]
    private var order: ArraySlice<String> = []

    init(_ cards: [ThingCard] = []) {
        for card in cards { put(card) }
    }

    var isEmpty: Bool { cards.isEmpty }

    func contains(_ slug: String) -> Bool { cards[slug] != nil }

    mutating func put(_ card: ThingCard) {
        if cards.updateValue(card, forKey: card.slug) == nil { order.append(card.slug) }
    }

    mutating func takeFirst() -> ThingCard? {
        while let slug = order.popFirst() {
            if let card = cards.removeValue(forKey: slug) { return card }
        }
        return nil
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ slug: String) -> Bool { cards.removeValue(forKey: slug) != nil }
}
