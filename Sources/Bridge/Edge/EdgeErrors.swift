package import Messages
import RateLimiting

/// Which errors are answered: one a second for each thing at most.
///
/// Names come from whoever may publish on the broker, so no more than some of them are remembered.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeErrors: Sendable {
    /// Ten thousand bindings, and strangers.
    private static let capacity = 11_000
    /// When a bucket is full again, and need not be remembered, milliseconds.
    private static let pause: Int64 = 1000

    private var buckets: [EdgeAddress: TokenBucket] = [:]
    private var nextCleaning: Int64 = .min
    /// How many were not answered.
    package private(set) var unanswered = 0

    package init() {}

    /// How many things are remembered.
    package var count: Int { buckets.count }

    /// Whether an error of a thing is answered now.
    ///
    /// - Parameter now: Milliseconds of the steady clock.
    package mutating func take(_ thing: EdgeAddress, at now: Int64) -> Bool {
        if buckets[thing] == nil, buckets.count >= Self.capacity { clean(at: now) }
        let isAnswered: Bool
        if buckets[thing] != nil || buckets.count < Self.capacity {
            let perSecond = 1000 / Double(Self.pause)
            isAnswered = buckets[thing, default: TokenBucket(capacity: 1, perSecond: perSecond)].take(at: now)
        } else {
            isAnswered = false
        }
        if !isAnswered { unanswered &+= 1 }
        return isAnswered
    }

    /// Forgets those with a full bucket, at most once a second: it looks at all of them.
    private mutating func clean(at now: Int64) {
        guard now >= nextCleaning else { return }
        nextCleaning = now &+ Self.pause
        buckets = buckets.filter { $0.value.level(at: now) < $0.value.capacity }
    }
}
