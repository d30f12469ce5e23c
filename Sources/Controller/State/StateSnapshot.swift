/// The state after an event, with the changes since the reader's last snapshot.
package struct StateSnapshot: Sendable {
    package var state: ControllerState
    package var changes: Set<StateChange>

    package init(state: ControllerState, changes: Set<StateChange>) {
        self.state = state
        self.changes = changes
    }
}
