/// How much may be taken of a server that sends without end: a full bucket at once, then so much a second.
///
/// What is told goes on to somebody who cannot say that it is too much; so the reading is slowed down here, and
/// the server is left when it does not stop.
package struct ByteRateLimit: Sendable {
    private static let bytesPerMessage = 256

    private let perSecond: Int
    private let capacity: Int
    private let patience: Int
    private var level: Int
    private var filledAt: Int
    private var slowedSince: Int?

    /// - Parameters:
    ///   - perSecond: In messages; a long one counts more. Of two seconds at once.
    ///   - patience: Milliseconds for which the reading may be slowed down without a break.
    package init(perSecond: Int, patience: Int, now: Int) {
        self.perSecond = min(max(perSecond, 10), 1_000_000)
        self.patience = patience
        capacity = 2 * self.perSecond
        level = capacity
        filledAt = now
    }

    package mutating func take(bytes: Int, now: Int) {
        fill(now)
        level -= 1 + bytes / Self.bytesPerMessage
    }

    /// Milliseconds for which nothing is to be read.
    package mutating func pause(now: Int) -> Int {
        fill(now)
        guard level <= 0 else { return 0 }
        if slowedSince == nil { slowedSince = now }
        // Until a tenth is there, so that it does not stutter.
        return (capacity / 10 - level) * 1000 / perSecond
    }

    /// Whether it has been too much for too long.
    package func isFlooded(now: Int) -> Bool {
        slowedSince.map { now - $0 >= patience } ?? false
    }

    private mutating func fill(_ now: Int) {
        let drops = min(max(0, now - filledAt), 10_000) * perSecond / 1000
        // Less than a whole message's time is left for the next.
        guard drops > 0 else { return }
        level = min(capacity, level + drops)
        filledAt = now
        if level > capacity / 2 { slowedSince = nil }
    }
}
