import Glibc
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore

/// The open connections of one listener, so that the longest idle one can make room for another.
///
/// Used from the event loops of the listener and of its connections.
final class IdleConnections: Sendable {
    private struct State {
        var open = 0
        /// Told to close, and not closed yet.
        var closing = 0
        var idle: [ObjectIdentifier: (channel: any Channel, since: NIODeadline)] = [:]

        mutating func removeOldest(butNot spared: ObjectIdentifier? = nil) -> (any Channel)? {
            let oldest = idle.lazy.filter { $0.key != spared }.min { $0.value.since < $1.value.since }
            guard let oldest else { return nil }
            idle[oldest.key] = nil
            closing += 1
            return oldest.value.channel
        }
    }

    private let maximum: Int
    private let state = NIOLockedValueBox(State())

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Whether another connection may be taken; one more than the maximum, as it pushes an idle one out.
    var hasRoom: Bool { state.withLockedValue { $0.open - $0.closing <= maximum } }

    func opened() {
        state.withLockedValue { $0.open += 1 }
        makeRoom()
    }

    func closed() {
        state.withLockedValue { $0.open -= 1 }
    }

    /// A connection waits for a request, its first or another.
    func becameIdle(_ channel: any Channel, since: NIODeadline, isNew: Bool) {
        state.withLockedValue { $0.idle[ObjectIdentifier(channel)] = (channel, since) }
        // A new connection gets to send its request, however many there are.
        makeRoom(butNot: isNew ? ObjectIdentifier(channel) : nil)
    }

    /// A connection has a request, or is gone.
    func becameBusy(_ channel: any Channel) {
        state.withLockedValue { $0.idle[ObjectIdentifier(channel)] = nil }
    }

    private func makeRoom(butNot spared: ObjectIdentifier? = nil) {
        let surplus = state.withLockedValue { state in
            state.open - state.closing > maximum ? state.removeOldest(butNot: spared) : nil
        }
        if let surplus { close(surplus) }
    }

    /// Closes those that are idle for longest.
    func closeOldest(_ count: Int) {
        for _ in 0..<count { state.withLockedValue { $0.removeOldest() }.map(close) }
    }

    private func close(_ channel: any Channel) {
        channel.closeFuture.whenComplete { _ in self.state.withLockedValue { $0.closing -= 1 } }
        channel.close(promise: nil)
    }
}

/// Tells ``IdleConnections`` of connections that are opened and closed, and takes no more than it has room for.
struct ConnectionCount: AvailableConnectionsDelegate {
    let connections: IdleConnections

    func connectionOpened() { connections.opened() }
    func connectionClosed() { connections.closed() }
    func isAcceptingNewConnections() -> Bool { connections.hasRoom }
}

/// Closes idle connections when the process, or the system, has no descriptor left for a new one.
///
/// The library waits a second before it tries again to take the connection that did not fit.
final class DescriptorShortageHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    /// Closed at once, so that somebody gets in though others knock all the time.
    private static let closedAtOnce = 8

    private let connections: IdleConnections

    init(_ connections: IdleConnections) {
        self.connections = connections
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, [EMFILE, ENFILE].contains(error.errnoCode) {
            connections.closeOldest(Self.closedAtOnce)
        }
        context.fireErrorCaught(error)
    }
}
