/// The state after an event, with what became different since the reader last looked.
package struct StateSnapshot: Sendable {
    package var state: ControllerState
    package var changes: Set<Facet>

    package init(state: ControllerState, changes: Set<Facet>) {
        self.state = state
        self.changes = changes
    }
}
