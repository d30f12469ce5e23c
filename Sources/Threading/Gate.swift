/// Opens once, for all who wait at it.
///
/// A waiter whose task is cancelled goes on alone. The iterators of one `AsyncStream` would not do: a task that is cancelled in one
/// of them ends the stream for all.
package final class Gate: Sendable {
    /// Ends the stream of each waiter; `nil` when it is open.
    private let waiters = Locked<[AsyncStream<Never>.Continuation]?>([])

    package init() {}

    package func open() {
        let waiters = waiters.withLock { waiters in
            defer { waiters = nil }
            return waiters ?? []
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns when it is open, or when the task is cancelled.
    package func wait() async {
        let (opened, waiter) = AsyncStream.makeStream(of: Never.self)
        let isOpen = waiters.withLock { waiters in
            waiters?.append(waiter)
            return waiters == nil
        }
        if isOpen { return }
        for await _ in opened {}
    }
}
