import Threading

/// A clock on which each sleep ends at once and advances it to the deadline.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Locked(Instant(offset: .zero))
    let minimumResolution = Swift.Duration.zero

    var now: Instant { time.withLock { $0 } }

    /// Advances the clock, as slow work does.
    func advance(by duration: Swift.Duration) { time.withLock { $0 = $0.advanced(by: duration) } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
