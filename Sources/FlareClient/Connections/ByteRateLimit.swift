import RateLimiting

/// Slows the reading of incoming messages down to a rate.
///
/// Notices have no back-pressure, so a server that floods us is disconnected.
package struct ByteRateLimit: Sendable {
    private static let bytesPerMessage = 256

    private let perSecond: Double
    private let patience: Int
    private var bucket: TokenBucket
    private var slowedSince: Int?

    /// - Parameters:
    ///   - perSecond: Messages per second; long ones count more. The bucket holds those of two seconds.
    ///   - patience: Milliseconds for which reading may be slowed down without interruption.
    package init(perSecond: Int, patience: Int, now: Int) {
        self.perSecond = Double(min(max(perSecond, 10), 1_000_000))
        self.patience = patience
        bucket = TokenBucket(capacity: 2 * self.perSecond, perSecond: self.perSecond)
    }

    package mutating func consume(bytes: Int, now: Int) {
        forgive(now)
        bucket.charge(Double(1 + bytes / Self.bytesPerMessage), at: Int64(now))
    }

    /// Milliseconds for which to pause reading.
    package mutating func pause(now: Int) -> Int {
        forgive(now)
        let level = bucket.level(at: Int64(now))
        guard level <= 0 else { return 0 }
        if slowedSince == nil { slowedSince = now }
        // Until a tenth is refilled, so that pauses are not too short.
        return Int((bucket.capacity / 10 - level) * 1000 / perSecond)
    }

    /// Whether reading has been slowed down for too long.
    package func isFlooded(now: Int) -> Bool {
        slowedSince.map { now - $0 >= patience } ?? false
    }

    private mutating func forgive(_ now: Int) {
        if bucket.level(at: Int64(now)) > bucket.capacity / 2 { slowedSince = nil }
    }
}
