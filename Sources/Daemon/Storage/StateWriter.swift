package import Controller
package import Threading

/// Writes persistent records in order, in one transaction per turn; records that could not be written are retried.
package actor StateWriter {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: StateStore
    private let onFault: @Sendable (StateStoreError) -> Void
    private var unsaved: [ControllerEffect.PersistedRecord] = []
    private var isScheduled = false

    /// - Parameters:
    ///   - loop: The executor on which it writes.
    ///   - onFault: Called at each failure.
    package init(
        on loop: LoopExecutor,
        _ store: StateStore,
        onFault: @escaping @Sendable (StateStoreError) -> Void
    ) {
        (self.loop, self.store, self.onFault) = (loop, store, onFault)
    }

    /// Adds a record; it is written by the next ``flush()``, at the latest after the current work on the loop.
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

    /// Writes the added records.
    ///
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
