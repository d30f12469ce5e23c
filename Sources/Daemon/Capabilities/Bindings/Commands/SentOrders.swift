import Controller
import Threading

/// The last orders that things at the edge were sent, by what the things recognise them by.
///
/// A thing's results name the actions that were sent. May be used from any thread.
final class SentOrders: Sendable {
    /// So many are remembered.
    private static let capacity = 5000

    private struct State {
        var orders: [String: EdgeOrder] = [:]
        /// The oldest first.
        var ids: [String] = []
    }

    private let state = Locked(State())

    func add(_ order: EdgeOrder) {
        state.withLock { state in
            let id = order.sentID
            if state.orders.updateValue(order, forKey: id) == nil { state.ids.append(id) }
            guard state.ids.count > Self.capacity else { return }
            // Many at once, so that this is seldom.
            let old = state.ids.prefix(Self.capacity / 10)
            for id in old { state.orders[id] = nil }
            state.ids.removeFirst(old.count)
        }
    }

    subscript(id: String) -> EdgeOrder? { state.withLock { $0.orders[id] } }
}
