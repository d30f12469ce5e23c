package import Controller
package import Threading

/// Writes what is to be remembered, in order and in one transaction a turn; what cannot be written is kept and tried
/// again.
package actor StateWriter {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: StateStore
    private let onFault: @Sendable (StateStoreError) -> Void
    private var unsaved: [ControllerEffect.PersistedRecord] = []
    private var isScheduled = false

    /// - Parameters:
    ///   - loop: Where it is called, and writes.
    ///   - onFault: Called at each failure.
    package init(
        on loop: LoopExecutor,
        _ store: StateStore,
        onFault: @escaping @Sendable (StateStoreError) -> Void
    ) {
        (self.loop, self.store, self.onFault) = (loop, store, onFault)
    }

    /// Keeps a record for the next ``flush()``, which follows by itself after the current work on the loop.
    package func add(_ record: ControllerEffect.PersistedRecord) {
        unsaved.append(record)
        guard !isScheduled else { return }
        isScheduled = true
        loop.perform {
            self.assumeIsolated { writer in
                writer.isScheduled = false
                writer.flush()
            }
        }
    }

    /// Writes what was added.
    /// - Returns: Whether everything is written.
    @discardableResult
    package func flush() -> Bool {
        guard !unsaved.isEmpty else { return true }
        do throws(StateStoreError) {
            try store.save(unsaved)
            unsaved = []
            return true
        } catch {
            onFault(error)
            return false
        }
    }
}
