/// Limits how often a value is sent: too early a value waits, and a newer one replaces it.
package struct SendThrottle<Value: Sendable>: Sendable {
    package enum Decision: Sendable, Hashable {
        case sendNow
        /// The value waits; a timer has to fire after this time.
        case startTimer(milliseconds: Int64)
        /// The value waits for the timer that runs already.
        case waitForTimer
    }

    /// The least time between two values, milliseconds.
    package let interval: Int64
    /// By how much a value may come too early and is sent all the same, milliseconds.
    package let tolerance: Int64
    package private(set) var sentAt: Instant?
    private var waiting: Value?

    package init(interval: Int64, tolerance: Int64 = 0) {
        self.interval = interval
        self.tolerance = tolerance
    }

    package var isWaiting: Bool { waiting != nil }

    /// Decides whether a value is sent now; it waits otherwise.
    package mutating func offer(_ value: Value, at now: Instant) -> Decision {
        guard let sentAt, now.milliseconds(since: sentAt) < interval - tolerance else { return .sendNow }
        let isFirst = waiting == nil
        waiting = value
        return isFirst
            ? .startTimer(milliseconds: interval - now.milliseconds(since: sentAt)) : .waitForTimer
    }

    /// Removes the waiting value.
    package mutating func removeWaiting() -> Value? {
        defer { waiting = nil }
        return waiting
    }

    package mutating func sent(at now: Instant) { sentAt = now }

    /// The next value is sent at once.
    package mutating func restart() { sentAt = nil }
}
