import Synchronization
import Threading

/// The rounds of a connection's thread: each time it looks for something to do.
///
/// Before the first round, and after the last one, the thread may wait for the system's resolver.
final class ConnectionRounds: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Locked(State())
    /// What a round costs while nobody waits.
    private let isAwaited = Atomic(false)

    /// Waits for the next round; for none if there are none now.
    ///
    /// - Parameter wake: Makes the thread begin one.
    func wait(_ wake: () -> Void) async {
        let (round, end) = AsyncStream.makeStream(of: Never.self)
        let isOpen = state.withLock { state in
            if state.isOpen { state.waiting.append(end) }
            return state.isOpen
        }
        guard isOpen else { return }
        isAwaited.store(true, ordering: .releasing)
        wake()
        for await _ in round {}
    }

    // MARK: - On the thread

    func begin() { state.withLock { $0.isOpen = true } }

    func next() {
        guard isAwaited.load(ordering: .relaxed), isAwaited.exchange(false, ordering: .acquiring) else {
            return
        }
        release()
    }

    func end() {
        state.withLock { $0.isOpen = false }
        release()
    }

    private func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for end in waiting { end.finish() }
    }
}
