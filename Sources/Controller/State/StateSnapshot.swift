/// The state after an event, with what became different since the reader last looked.
package struct StateSnapshot: Sendable {
    package var state: ControllerState
    package var changes: Set<StateChange>

    package init(state: ControllerState, changes: Set<StateChange>) {
        self.state = state
        self.changes = changes
    }
}
