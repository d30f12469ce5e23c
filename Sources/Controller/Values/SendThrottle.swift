/// Limits how often a value is sent: an early value waits until it is replaced or sent.
package struct SendThrottle<Value: Sendable>: Sendable {
    package enum Decision: Sendable, Hashable {
        case sendNow
        /// The value waits; start a timer for this time.
        case startTimer(milliseconds: Int64)
        /// The value waits for the running timer.
        case waitForTimer
    }

    /// Minimum time between two values, milliseconds.
    package let interval: Int64
    /// How early a value may be sent nevertheless, milliseconds.
    package let tolerance: Int64
    package private(set) var sentAt: Instant?
    private var waiting: Value?

    package init(interval: Int64, tolerance: Int64 = 0) {
        self.interval = interval
        self.tolerance = tolerance
    }

    /// Decides whether to send a value now; otherwise it replaces the waiting one.
    package mutating func offer(_ value: Value, at now: Instant) -> Decision {
        guard let sentAt, now.milliseconds(since: sentAt) < interval - tolerance else { return .sendNow }
        let isFirst = waiting == nil
        waiting = value
        return isFirst
            ? .startTimer(milliseconds: interval - now.milliseconds(since: sentAt)) : .waitForTimer
    }

    /// Removes and returns the waiting value.
    package mutating func removeWaiting() -> Value? {
        defer { waiting = nil }
        return waiting
    }

    package mutating func sent(at now: Instant) { sentAt = now }

    /// Lets the next value be sent at once.
    package mutating func restart() { sentAt = nil }
}
