package import Positioning
import Receivers
import Threading

/// The errors of receivers, which all devices learn together, and which are stored from run to run.
///
/// May be used from any thread.
package final class LearntReceiverErrors: Sendable {
    private struct State {
        var errors = ReceiverErrors()
        /// What is stored of the receivers of the place, dB.
        var stored: [String: Double] = [:]
    }

    /// A smaller change is not stored, dB.
    private static let minimumChange = 0.5

    private let state = Locked(State())
    private let load: @Sendable (String) -> Double?
    private let store: @Sendable (String, Double) -> Void

    /// - Parameters:
    ///   - load: The stored error of a receiver, dB; `nil` if there is none.
    ///   - store: Stores one.
    package init(
        load: @escaping @Sendable (String) -> Double? = { _ in nil },
        store: @escaping @Sendable (String, Double) -> Void = { _, _ in }
    ) {
        (self.load, self.store) = (load, store)
    }

    /// Uses what is known of the receivers of a place.
    package func enter(_ receivers: [String]) {
        save()
        let known = state.withLock { $0.stored }
        let loaded = receivers.prefix(ReceiverErrors.most).filter { known[$0] == nil }
            .reduce(into: [:]) { $0[$1] = load($1) }
        state.withLock { state in
            let names = Set(receivers)
            state.errors.keep(names)
            state.stored = state.stored.filter { names.contains($0.key) }
            for (name, error) in loaded {
                state.errors.restore(name, error)
                state.stored[name] = error
            }
        }
    }

    /// What is subtracted from a level of a receiver, dB.
    package func correction(of receiver: String) -> Double {
        state.withLock { $0.errors.correction(of: receiver) }
    }

    /// Learns from a fix of a device.
    package func learn(_ found: [ReceiverError]) {
        state.withLock { $0.errors.learn(found) }
    }

    /// Stores what has changed.
    package func save() {
        let changed = state.withLock { state in
            let changed = state.errors.known.filter { name, error in
                state.stored[name].map { abs($0 - error) >= Self.minimumChange } ?? true
            }
            state.stored.merge(changed) { $1 }
            return changed
        }
        for (name, error) in changed.sorted(by: { $0.key < $1.key }) { store(name, error) }
    }
}
