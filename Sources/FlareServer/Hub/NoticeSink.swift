import Flare

/// A client of the server: a connection, or a part of this program.
package struct FlareClientID: Sendable, Hashable {
    /// The number of its sink; see ``FlareHub/attach(_:)``.
    let sink: Int
    /// Its number within the sink.
    let number: Int
}

/// Delivers notices to clients: one sink for all sockets, and one for each in-process client.
protocol NoticeSink: Sendable {
    /// Called in order, on the hub's executor, before the reply to the request that caused the notice; must not block.
    /// - Parameter clients: Clients of this sink; one that is listed twice receives the notice twice.
    func deliver(_ announcement: Transaction.Announcement, to clients: [FlareClientID])

    /// Sends an event to a single client, in the same order.
    func send(_ event: SocketEvent, to client: FlareClientID)

    /// Ends a client's session, after what it was sent before.
    func end(_ client: FlareClientID)
}

/// Delivers to a part of this program.
struct InProcessNoticeSink: NoticeSink {
    let deliver: @Sendable (FlareNotice) -> Void

    func deliver(_ announcement: Transaction.Announcement, to clients: [FlareClientID]) {
        for _ in clients { deliver(announcement.notice) }
    }

    /// In-process clients get their answers as return values.
    func send(_ event: SocketEvent, to client: FlareClientID) {}

    /// They are part of this program.
    func end(_ client: FlareClientID) {}
}
