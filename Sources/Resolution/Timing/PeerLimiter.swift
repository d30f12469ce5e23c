import RateLimiting

/// Limits how many names and updates come from one peer: a burst of 20 seconds' worth, then so many a second.
///
/// Peers on this machine are not limited.
package struct PeerLimiter: Sendable {
    /// The most peers that are remembered.
    package static let maximumPeers = 4096
    private static let burstSeconds = 20.0

    private let full: TokenBucket
    private var buckets: [[UInt8]: TokenBucket] = [:]

    /// - Parameter perSecond: 0.1 to 1000.
    package init(perSecond: Double) {
        let perSecond = min(max(perSecond, 0.1), 1000)
        full = TokenBucket(capacity: max(1, perSecond * Self.burstSeconds), perSecond: perSecond)
    }

    /// Takes tokens for names or updates; a peer with too few of them takes none.
    ///
    /// - Parameters:
    ///   - count: More than the burst counts as the burst, so that a full bucket is always enough.
    ///   - now: Milliseconds of the steady clock.
    /// - Returns: Whether they may be served.
    package mutating func take(_ count: Int, by peer: PeerAddress, at now: Int64) -> Bool {
        guard !peer.isLoopback else { return true }
        if buckets[peer.customer] == nil { makeRoom(at: now) }
        return buckets[peer.customer, default: full].take(min(Double(count), full.capacity), at: now)
    }

    /// Forgets peers that have all their tokens again; if there are none, half of those with the most.
    private mutating func makeRoom(at now: Int64) {
        guard buckets.count >= Self.maximumPeers else { return }
        buckets = buckets.filter { $0.value.level(at: now) < full.capacity }
        guard buckets.count >= Self.maximumPeers else { return }
        let least = buckets.sorted { $0.value.level(at: now) < $1.value.level(at: now) }
        buckets = Dictionary(
            least.prefix(Self.maximumPeers / 2).map { ($0.key, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
