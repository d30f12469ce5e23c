/// Limits how many names and updates come from one peer: a burst of 20 seconds' worth, then so many a second.
///
/// Peers on this machine are not limited.
package struct PeerLimiter: Sendable {
    private struct Bucket {
        var left: Double
        var countedAt: Int64
    }

    /// The most peers that are remembered.
    package static let maximumPeers = 4096
    private static let burstSeconds = 20.0

    private let perSecond: Double
    private var buckets: [[UInt8]: Bucket] = [:]

    /// - Parameter perSecond: 0.1 to 1000.
    package init(perSecond: Double) { self.perSecond = min(max(perSecond, 0.1), 1000) }

    private var burst: Double { max(1, perSecond * Self.burstSeconds) }

    /// Takes tokens for names or updates; a peer with too few of them takes none.
    ///
    /// - Parameters:
    ///   - count: More than the burst counts as the burst, so that a full bucket is always enough.
    ///   - now: Milliseconds of the steady clock.
    /// - Returns: Whether they may be served.
    package mutating func take(_ count: Int, by peer: PeerAddress, at now: Int64) -> Bool {
        guard !peer.isLoopback else { return true }
        var bucket = buckets[peer.customer] ?? Bucket(left: burst, countedAt: now)
        bucket.left = left(in: bucket, at: now)
        bucket.countedAt = now
        let wanted = min(Double(count), burst)
        let isAllowed = bucket.left >= wanted
        if isAllowed { bucket.left -= wanted }
        if buckets[peer.customer] == nil { makeRoom(at: now) }
        buckets[peer.customer] = bucket
        return isAllowed
    }

    private func left(in bucket: Bucket, at now: Int64) -> Double {
        min(burst, bucket.left + Double(max(0, now - bucket.countedAt)) * perSecond / 1000)
    }

    /// Forgets peers that have all their tokens again; if there are none, half of those with the most.
    private mutating func makeRoom(at now: Int64) {
        guard buckets.count >= Self.maximumPeers else { return }
        buckets = buckets.filter { left(in: $0.value, at: now) < burst }
        guard buckets.count >= Self.maximumPeers else { return }
        let least = buckets.sorted { left(in: $0.value, at: now) < left(in: $1.value, at: now) }
        buckets = Dictionary(
            least.prefix(Self.maximumPeers / 2).map { ($0.key, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
