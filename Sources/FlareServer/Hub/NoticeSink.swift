import Flare

/// A client of the server: a connection, or a part of this program.
package struct FlareClientID: Sendable, Hashable {
    /// The way by which it hears; see ``FlareHub/attach(_:)``.
    let outlet: Int
    /// Its number there.
    let number: Int
}

/// A way by which clients hear of what happens: one for all sockets together, one for each part of this program.
protocol NoticeSink: Sendable {
    /// Called in order, from inside the hub, before the cause is answered; must not block.
    /// - Parameter clients: Those of this outlet; one that is there twice is told twice.
    func tell(_ announcement: Transaction.Announcement, to clients: [FlareClientID])

    /// An answer to one client alone, in the same order.
    func answer(_ event: SocketEvent, to client: FlareClientID)
}

/// One part of this program.
struct InProcessNoticeSink: NoticeSink {
    let deliver: @Sendable (FlareNotice) -> Void

    func tell(_ announcement: Transaction.Announcement, to clients: [FlareClientID]) {
        for _ in clients { deliver(announcement.notice) }
    }

    /// What asks within this program is answered by the call itself.
    func answer(_ event: SocketEvent, to client: FlareClientID) {}
}
