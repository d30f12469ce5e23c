package import Controller

/// Who follows the state: called in the turn, once for all that the turn has changed.
package struct StateObserver: Sendable {
    private let isInterested: (@Sendable (StateChange) -> Bool)?
    private let handle: @Sendable (StateSnapshot) -> Void

    /// - Parameters:
    ///   - isInterested: What it wants to hear of, so that an observer of lamps costs nothing while somebody walks;
    ///     `nil` for everything.
    ///   - handle: Must not wait, and must not keep the snapshot: while somebody holds it, the controller copies its
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
