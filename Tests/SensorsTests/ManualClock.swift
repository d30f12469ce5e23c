import Glibc

/// A clock that goes on only by being slept on: each sleep takes it to its deadline at once.
// Unchecked because the lock below guards the one stored value that changes.
final class ManualClock: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
        var offset: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var time = Instant(offset: .zero)
    let minimumResolution = Swift.Duration.zero

    init() {
        lock = .allocate(capacity: 1)
        lock.initialize(to: .init())
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    var now: Instant { locked { time } }

    /// Lets the clock run on, as slow work does.
    func advance(by duration: Swift.Duration) { locked { time = time.advanced(by: duration) } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        locked { time = max(time, deadline) }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }
}
