import Threading

/// Messages that were received and are not handled yet.
///
/// While they have too many bytes nothing more is read, so that the broker keeps what it has: a sender that is faster
/// than the handlers waits, and this process does not grow.
final class ReceiveBacklog: Sendable {
    private struct State {
        var bytes = 0
        var isFull = false
        var wakeUp: EventFD?
    }

    private let limit: Int
    private let state = Locked(State())

    /// - Parameter limit: Bytes; reading goes on when half of them are handled.
    init(limit: Int) { self.limit = limit }

    /// Whether to read nothing more, until the event is signalled that was last given to ``attach(_:)``.
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Uses the event of the connection that reads from now on.
    func attach(_ wakeUp: EventFD) { state.withLock { $0.wakeUp = wakeUp } }

    func add(_ message: MQTTMessage) {
        let size = message.size
        state.withLock { state in
            state.bytes += size
            if state.bytes >= limit { state.isFull = true }
        }
    }

    func remove(_ message: MQTTMessage) {
        let size = message.size
        let wakeUp = state.withLock { state -> EventFD? in
            state.bytes -= size
            guard state.isFull, state.bytes <= limit / 2 else { return nil }
            state.isFull = false
            return state.wakeUp
        }
        wakeUp?.signal()
    }
}
