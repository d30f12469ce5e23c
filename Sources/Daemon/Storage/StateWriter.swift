import Controller

/// Writes what is to be remembered, in order; what cannot be written is kept and tried again.
actor StateWriter {
    private let memory: StateStore
    private let onFault: @Sendable (StateStoreError) -> Void
    private var unsaved: [ControllerEffect.PersistedRecord] = []

    /// - Parameter onFault: Called at each failure.
    init(_ memory: StateStore, onFault: @escaping @Sendable (StateStoreError) -> Void) {
        self.memory = memory
        self.onFault = onFault
    }

    func save(_ memento: ControllerEffect.PersistedRecord) {
        unsaved.append(memento)
        _ = retry()
    }

    /// Tries again what could not be written.
    /// - Returns: Whether everything is written.
    func retry() -> Bool {
        do throws(StateStoreError) {
            while let memento = unsaved.first {
                try memory.save(memento)
                unsaved.removeFirst()
            }
            return true
        } catch {
            onFault(error)
            return false
        }
    }
}
