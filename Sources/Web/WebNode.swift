package import Controller
package import Threading

/// What the web adapter needs of the node that it shows.
package struct WebNode: Sendable {
    /// The node's loop.
    package let loop: LoopExecutor
    package let commands: CommandTable
    package let readings: [WebReading]
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
        readings: [WebReading] = [],
        state: @escaping @Sendable () -> ControllerState,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        clock: @escaping @Sendable () -> Instant,
        allows: @escaping @Sendable (ChangeRequest) -> Bool,
        people: WebPeople
    ) {
        (self.commands, self.readings) = (commands, readings)
        (self.allows, self.people) = (allows, people)
        (self.loop, self.state, self.send, self.clock) = (loop, state, send, clock)
    }
}
