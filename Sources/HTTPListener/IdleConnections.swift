import Glibc
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a listener, so that the one that has kept it waiting for longest can be closed for a new one, and
/// only as many are accepted as there is room for.
///
/// Used from the event loops of the listener and its connections.
final class IdleConnections: AvailableConnectionsDelegate {
    private struct State {
        /// Accepted and not closed, by the listener's count.
        var open = 0
        /// The connections that have begun, and those among them that are being closed.
        var live: Set<ObjectIdentifier> = []
        var closing: Set<ObjectIdentifier> = []
        var idle: [ObjectIdentifier: (channel: any Channel, since: NIODeadline)] = [:]
        /// The connection that began last: it is given the chance to send its request.
        var newest: ObjectIdentifier?

        mutating func removeOldest(sparingNewest: Bool = false) -> (any Channel)? {
            let spared = sparingNewest ? newest : nil
            let oldest = idle.lazy.filter { $0.key != spared }.min { $0.value.since < $1.value.since }
            guard let oldest else { return nil }
            idle[oldest.key] = nil
            closing.insert(oldest.key)
            return oldest.value.channel
        }
    }

    private let maximum: Int
    private let state = NIOLockedValueBox(State())

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Whether another connection may be accepted; one above the maximum, because it replaces an idle one.
    func isAcceptingNewConnections() -> Bool {
        state.withLockedValue { $0.open - $0.closing.count <= maximum }
    }

    func connectionOpened() { state.withLockedValue { $0.open += 1 } }

    func connectionClosed() { state.withLockedValue { $0.open -= 1 } }

    /// A connection waits for its peer: for a request, the rest of one, or until an answer is read.
    ///
    /// May be called again, with another time.
    func becameIdle(_ channel: any Channel, since: NIODeadline) {
        let name = ObjectIdentifier(channel)
        let hasBegun = state.withLockedValue { state in
            state.idle[name] = (channel, since)
            let hasBegun = state.live.insert(name).inserted
            if hasBegun { state.newest = name }
            return hasBegun
        }
        if hasBegun {
            // Both sets in one step: between two, one connection would count as two.
            channel.closeFuture.whenComplete { _ in
                self.state.withLockedValue { state in
                    state.live.remove(name)
                    state.closing.remove(name)
                }
            }
        }
        makeRoom()
    }

    /// A connection received a whole request, or closed.
    func becameBusy(_ channel: any Channel) {
        let name = ObjectIdentifier(channel)
        state.withLockedValue { state in
            state.idle[name] = nil
            if state.newest == name { state.newest = nil }
        }
    }

    private func makeRoom() {
        let surplus = state.withLockedValue { state in
            state.live.count - state.closing.count > maximum ? state.removeOldest(sparingNewest: true) : nil
        }
        surplus?.close(promise: nil)
    }

    /// Closes the longest idle connections.
    func closeOldest(_ count: Int) {
        for _ in 0..<count { state.withLockedValue { $0.removeOldest() }?.close(promise: nil) }
    }
}

/// Closes idle connections when the process or the system runs out of descriptors.
///
/// The library waits a second before it accepts again.
final class DescriptorShortageHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    /// Closed at once, so that new connections succeed under a flood.
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
