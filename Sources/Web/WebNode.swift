package import Controller
package import Things
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
    /// Why a change would be refused, or `nil` if it is allowed; to be called on the loop.
    package let refusal: @Sendable (ChangeRequest) -> Refusal?
    package let people: WebPeople

    package init(
        loop: LoopExecutor,
        commands: CommandTable,
        readings: [WebReading] = [],
        state: @escaping @Sendable () -> ControllerState,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        clock: @escaping @Sendable () -> Instant,
        refusal: @escaping @Sendable (ChangeRequest) -> Refusal?,
        people: WebPeople
    ) {
        (self.commands, self.readings) = (commands, readings)
        (self.refusal, self.people) = (refusal, people)
        (self.loop, self.state, self.send, self.clock) = (loop, state, send, clock)
    }
}
