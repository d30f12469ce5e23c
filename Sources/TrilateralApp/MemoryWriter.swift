import Controller

/// Writes what is to be remembered, in order; what cannot be written is kept and tried again.
actor MemoryWriter {
    private let memory: MemoryStore
    private let onFault: @Sendable (MemoryStoreError) -> Void
    private var unsaved: [ControllerEffect.Memento] = []

    /// - Parameter onFault: Called at each failure.
    init(_ memory: MemoryStore, onFault: @escaping @Sendable (MemoryStoreError) -> Void) {
        self.memory = memory
        self.onFault = onFault
    }

    func save(_ memento: ControllerEffect.Memento) {
        unsaved.append(memento)
        _ = retry()
    }

    /// Tries again what could not be written.
    /// - Returns: Whether everything is written.
    func retry() -> Bool {
        do throws(MemoryStoreError) {
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
