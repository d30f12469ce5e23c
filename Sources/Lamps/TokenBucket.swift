/// A rate limiter: a burst at first, then a number per second.
struct TokenBucket: Sendable, Hashable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var countedAt: Int64?

    init(burst: Double, perSecond: Double) {
        self.burst = burst
        self.perSecond = perSecond
        left = burst
    }

    /// Takes a token if there is one.
    mutating func take(at now: Int64) -> Bool {
        if let countedAt { left = min(burst, left + Double(max(now - countedAt, 0)) * perSecond / 1000) }
        countedAt = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// When the next token is available, from the time of the last attempt.
    var due: Int64? {
        countedAt.map { $0 + Int64((max(1 - left, 0) / perSecond * 1000).rounded(.up)) }
    }
}
