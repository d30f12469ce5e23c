/// A rate limiter: a burst at first, then a fixed number of tokens a second.
///
/// The time comes in, milliseconds of the steady clock; it may stand still, and nothing is gained when it goes back.
package struct TokenBucket: Sendable, Hashable {
    /// The most tokens it holds.
    package let capacity: Double
    private let perSecond: Double
    /// Below 0 after ``charge(_:at:)`` of more than there was.
    private var tokens: Double
    private var filledAt: Int64?

    /// A full bucket.
    package init(capacity: Double, perSecond: Double) {
        (self.capacity, self.perSecond, tokens) = (capacity, perSecond, capacity)
    }

    /// Takes tokens if there are enough of them, else none.
    package mutating func take(_ count: Double = 1, at now: Int64) -> Bool {
        guard level(at: now) >= count else {
            fill(at: now)
            return false
        }
        charge(count, at: now)
        return true
    }

    /// Takes tokens for what has happened already, more than there are if need be.
    package mutating func charge(_ count: Double, at now: Int64) {
        fill(at: now)
        tokens -= count
    }

    /// How many tokens there are.
    package func level(at now: Int64) -> Double {
        guard let filledAt else { return tokens }
        return min(capacity, tokens + Double(max(0, now - filledAt)) * perSecond / 1000)
    }

    /// When there are some tokens; `nil` before anything was asked for.
    package func due(_ count: Double = 1) -> Int64? {
        filledAt.map { $0 + Int64((max(count - tokens, 0) / perSecond * 1000).rounded(.up)) }
    }

    private mutating func fill(at now: Int64) { (tokens, filledAt) = (level(at: now), now) }
}
