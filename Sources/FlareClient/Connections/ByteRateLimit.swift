/// A token bucket for incoming messages.
///
/// Notices have no back-pressure, so reading is slowed down here, and a server that floods us is disconnected.
package struct ByteRateLimit: Sendable {
    private static let bytesPerMessage = 256

    private let perSecond: Int
    private let capacity: Int
    private let patience: Int
    private var level: Int
    private var filledAt: Int
    private var slowedSince: Int?

    /// - Parameters:
    ///   - perSecond: Messages per second; long ones count more. The bucket holds those of two seconds.
    ///   - patience: Milliseconds for which reading may be slowed down without interruption.
    package init(perSecond: Int, patience: Int, now: Int) {
        self.perSecond = min(max(perSecond, 10), 1_000_000)
        self.patience = patience
        capacity = 2 * self.perSecond
        level = capacity
        filledAt = now
    }

    package mutating func consume(bytes: Int, now: Int) {
        fill(now)
        level -= 1 + bytes / Self.bytesPerMessage
    }

    /// Milliseconds for which to pause reading.
    package mutating func pause(now: Int) -> Int {
        fill(now)
        guard level <= 0 else { return 0 }
        if slowedSince == nil { slowedSince = now }
        // Until a tenth is refilled, so that pauses are not too short.
        return (capacity / 10 - level) * 1000 / perSecond
    }

    /// Whether reading has been slowed down for too long.
    package func isFlooded(now: Int) -> Bool {
        slowedSince.map { now - $0 >= patience } ?? false
    }

    private mutating func fill(_ now: Int) {
        let drops = min(max(0, now - filledAt), 10_000) * perSecond / 1000
        // Less than one message: keep the time for the next call.
        guard drops > 0 else { return }
        level = min(capacity, level + drops)
        filledAt = now
        if level > capacity / 2 { slowedSince = nil }
    }
}
