import RateLimiting

/// How much each user of the broker has sent that was read in vain.
///
/// To read a message costs the node's loop as much as to handle it. Who sends too much of what is refused is not read for a
/// while, so that others are. An onboarding counts in any case: a thing needs one.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
struct RefusedBytes: Sendable {
    /// Ten thousand bindings, and strangers.
    private static let capacity = 11_000
    /// Bytes at once, and in a second.
    private static let burst = 1_048_576.0
    private static let perSecond = 65_536.0
    /// What a message costs at least, bytes: it is answered, too.
    private static let least = 256

    private var buckets: [String: TokenBucket] = [:]
    /// Of all who are too many to be remembered.
    private var others = Self.full

    private static var full: TokenBucket { TokenBucket(capacity: burst, perSecond: perSecond) }

    /// Whether nothing of a user is read now.
    ///
    /// - Parameter now: Milliseconds of the steady clock.
    func isSpent(_ speaker: String, at now: Int64) -> Bool {
        if let bucket = buckets[speaker] { return bucket.level(at: now) <= 0 }
        return buckets.count >= Self.capacity && others.level(at: now) <= 0
    }

    /// Counts a message of a user.
    mutating func charge(_ bytes: Int, _ speaker: String, at now: Int64) {
        let cost = Double(max(bytes, Self.least))
        if buckets[speaker] == nil, buckets.count >= Self.capacity {
            buckets = buckets.filter { $0.value.level(at: now) < $0.value.capacity }
            guard buckets.count < Self.capacity else { return others.charge(cost, at: now) }
        }
        buckets[speaker, default: Self.full].charge(cost, at: now)
    }
}
