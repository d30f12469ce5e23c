package import Positioning
import Threading

/// An advertising packet as it was received, of whomever.
package struct AdvertisingPacket: Sendable, Hashable {
    package let sender: DeviceAddress
    /// dBm.
    package let rssi: Int
    package let payload: [UInt8]

    package init(sender: DeviceAddress, rssi: Int, payload: [UInt8]) {
        (self.sender, self.rssi, self.payload) = (sender, rssi, payload)
    }
}

/// Passes on every advertising packet that an adapter or a recording receives: one scan serves all who listen.
package final class PacketFeed: Sendable {
    /// Called on the thread of the scanner or the recording; must not wait.
    package typealias Listener =
        @Sendable (
            _ payload: Span<UInt8>, _ sender: DeviceAddress, _ rssi: Int
        ) -> Void

    /// Names a listener.
    package struct ID: Sendable, Hashable {
        fileprivate let number: Int
    }

    private struct State {
        var listeners: [(id: ID, listener: Listener)] = []
        var added = 0
    }

    private let state = Locked(State())

    package init() {}

    package func add(_ listener: @escaping Listener) -> ID {
        state.withLock { state in
            state.added += 1
            let id = ID(number: state.added)
            state.listeners.append((id, listener))
            return id
        }
    }

    package func remove(_ id: ID) {
        state.withLock { $0.listeners.removeAll { $0.id == id } }
    }

    package func send(_ payload: Span<UInt8>, from sender: DeviceAddress, rssi: Int) {
        let listeners = state.withLock { $0.listeners }
        for entry in listeners { entry.listener(payload, sender, rssi) }
    }
}
