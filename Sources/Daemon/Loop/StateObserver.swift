package import Controller

/// Observes the state: called once per turn with all of its changes.
package struct StateObserver: Sendable {
    private let isInterested: (@Sendable (StateChange) -> Bool)?
    private let handle: @Sendable (StateSnapshot) -> Void

    /// - Parameters:
    ///   - isInterested: Selects the changes for which it is called; `nil` selects all.
    ///   - handle: Must not block, and must not retain the snapshot: that would make the controller copy its
    ///     dictionaries at every change.
    package init(
        where isInterested: (@Sendable (StateChange) -> Bool)? = nil,
        handle: @escaping @Sendable (StateSnapshot) -> Void
    ) {
        (self.isInterested, self.handle) = (isInterested, handle)
    }

    package func observe(_ snapshot: StateSnapshot) {
        guard let isInterested else { return handle(snapshot) }
        let changes = snapshot.changes.filter(isInterested)
        if !changes.isEmpty { handle(StateSnapshot(state: snapshot.state, changes: changes)) }
    }
}
