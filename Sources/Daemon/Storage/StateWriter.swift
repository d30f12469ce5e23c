package import Controller
package import Threading

/// Writes persistent records in order, in one transaction per turn; records that could not be written are retried.
package actor StateWriter {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: StateStore
    private let onFault: @Sendable (StateStoreError) -> Void
    private nonisolated let unsaved = Locked<[ControllerEffect.PersistedRecord]>([])
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

    /// Whether records are to be written; may be asked from anywhere.
    package nonisolated var hasUnsaved: Bool { unsaved.withLock { !$0.isEmpty } }

    /// Whether one of them must be written before the effects of its turn are published.
    nonisolated var hasUrgent: Bool {
        unsaved.withLock { records in
            records.contains { record in
                guard case .slice(let record) = record, let record = record.value as? any DatabaseRecord
                else {
                    return true
                }
                return record.isUrgent
            }
        }
    }

    /// Adds a record; it is written by the next ``flush()``, at the latest after the current work on the loop.
    ///
    /// What begins and ends in one turn is written once, as it is at the end.
    package func add(_ record: ControllerEffect.PersistedRecord) {
        unsaved.withLock { records in
            if let last = records.last, let both = Self.replacing(last, by: record) {
                records[records.count - 1] = both
            } else {
                records.append(record)
            }
        }
        guard !isScheduled else { return }
        isScheduled = true
        loop.perform {
            self.onExecutor { writer in
                writer.isScheduled = false
                writer.flush()
            }
        }
    }

    private static func replacing(
        _ last: ControllerEffect.PersistedRecord,
        by record: ControllerEffect.PersistedRecord
    ) -> ControllerEffect.PersistedRecord? {
        guard case .slice(let last) = last, case .slice(let record) = record,
            let record = record.value as? any DatabaseRecord
        else { return nil }
        return record.replacing(anyKind: last).map { .slice($0) }
    }

    /// Writes the added records.
    ///
    /// - Returns: Whether everything is written.
    @discardableResult
    package func flush() -> Bool {
        let records = unsaved.withLock { $0 }
        guard !records.isEmpty else { return true }
        do throws(StateStoreError) {
            try store.save(records)
            unsaved.withLock { $0.removeFirst(records.count) }
            return true
        } catch {
            onFault(error)
            return false
        }
    }
}
