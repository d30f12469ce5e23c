import Threading

/// Messages that were received and are not handled yet.
///
/// While they have too many bytes nothing more is read, so that the broker keeps what it has: a sender that is faster
/// than the readers waits, and this process does not grow.
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

    fileprivate func add(_ bytes: Int) {
        state.withLock { state in
            state.bytes += bytes
            if state.bytes >= limit { state.isFull = true }
        }
    }

    fileprivate func remove(_ bytes: Int) {
        let wakeUp = state.withLock { state -> EventFD? in
            state.bytes -= bytes
            guard state.isFull, state.bytes <= limit / 2 else { return nil }
            state.isFull = false
            return state.wakeUp
        }
        wakeUp?.signal()
    }
}

/// The unread messages of one subscription: limited in number, and part of the backlog of its client.
final class UnreadMessages: Sendable {
    private struct State {
        var count = 0
        var bytes = 0
        var hasEnded = false
    }

    private let limit: Int
    private let backlog: ReceiveBacklog
    private let state = Locked(State())

    /// - Parameter limit: Messages.
    init(limit: Int, of backlog: ReceiveBacklog) { (self.limit, self.backlog) = (limit, backlog) }

    /// - Returns: `nil` if too many wait.
    func add(_ message: MQTTMessage) -> MQTTDelivery? {
        let size = message.size
        let (hasRoom, counts) = state.withLock { state in
            // It arrived while the subscription was ending: nobody reads it.
            if state.hasEnded { return (true, false) }
            guard state.count < limit else { return (false, false) }
            state.count += 1
            state.bytes += size
            return (true, true)
        }
        if counts { backlog.add(size) }
        return hasRoom ? MQTTDelivery(message: message, unread: self) : nil
    }

    fileprivate func remove(_ message: MQTTMessage) {
        let size = message.size
        let counts = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.count -= 1
            state.bytes -= size
            return true
        }
        if counts { backlog.remove(size) }
    }

    /// Stops counting: nothing more is read, or it counts no longer.
    func end() {
        let rest = state.withLock { state in
            defer { state = State(hasEnded: true) }
            return state.bytes
        }
        if rest > 0 { backlog.remove(rest) }
    }
}

/// A message on its way to its reader.
package struct MQTTDelivery: Sendable {
    fileprivate let message: MQTTMessage
    fileprivate let unread: UnreadMessages

    /// The message, which counts as read from now on; call it once.
    package func take() -> MQTTMessage {
        unread.remove(message)
        return message
    }

    /// The message, which counts as read when the body has returned; instead of ``take()``.
    func handle(_ body: (MQTTMessage) -> Void) {
        body(message)
        unread.remove(message)
    }
}
