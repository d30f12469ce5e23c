package import Controller
package import Threading

/// What the web adapter needs of the node that it shows.
package struct WebNode: Sendable {
    /// The node's loop.
    package let loop: LoopExecutor
    package let commands: CommandTable
    /// What the capabilities provide now, beside the listener's own routes; asked for each request.
    package let routes: @Sendable () -> [WebRoute]
    /// The state; to be called on the loop, and not to be retained beyond the call.
    package let state: @Sendable () -> ControllerState
    package let send: @Sendable (ControllerEvent) -> Void
    package let clock: @Sendable () -> Instant
    /// Whether a change would be allowed; to be called on the loop.
    package let allows: @Sendable (ChangeRequest) -> Bool
    package let people: WebPeople

    package init(
        loop: LoopExecutor,
        commands: CommandTable,
        routes: @escaping @Sendable () -> [WebRoute] = { [] },
        state: @escaping @Sendable () -> ControllerState,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        clock: @escaping @Sendable () -> Instant,
        allows: @escaping @Sendable (ChangeRequest) -> Bool,
        people: WebPeople
    ) {
        (self.commands, self.routes) = (commands, routes)
        (self.allows, self.people) = (allows, people)
        (self.loop, self.state, self.send, self.clock) = (loop, state, send, clock)
    }
}
