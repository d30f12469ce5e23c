package import Accounts
package import Administration
package import Controller
package import Flare
package import JSON
package import People
package import Things
package import Threading

/// What bindings ask of the place, and do in it.
package struct BindingPlace: Sendable {
    /// How a binding gets its thing.
    package var plan: @Sendable (LinkWish) async -> Result<LinkPlan, Refusal>
    /// Those of some things that are not in any environment any more.
    package var gone: @Sendable (Set<FlareID>) async -> Set<FlareID>
    /// Where a thing is; `nil` if it is gone.
    package var locate: @Sendable (FlareID) async -> AccessObject?
    /// The slugs of things; those without one are left out.
    package var slugs: @Sendable ([FlareID]) async -> [FlareID: String]
    /// The data of a thing of the current environment; `nil` for others.
    package var data: @Sendable (FlareID) async -> JSONObject?
    /// Whether a thing of the current environment says that it can be reached; `nil` if nothing says so.
    package var isOnline: @Sendable (FlareID) async -> Bool?
    /// Gives a command, for which nobody's rights are asked; `nil` if it was not answered in time.
    package var execute: @Sendable (Command.Operation) async -> Answer?
    /// Gives a command of somebody, from an address; `nil` if it was not answered in time.
    package var give: @Sendable (Command.Operation, Caller, String?) async -> Answer?
    /// A command that has not ended, or has not long ago, as it is after all that was sent before; `nil` for others.
    package var command: @Sendable (String) async -> StoredThingCommand?

    package init(
        plan: @escaping @Sendable (LinkWish) async -> Result<LinkPlan, Refusal>,
        gone: @escaping @Sendable (Set<FlareID>) async -> Set<FlareID>,
        locate: @escaping @Sendable (FlareID) async -> AccessObject?,
        slugs: @escaping @Sendable ([FlareID]) async -> [FlareID: String],
        data: @escaping @Sendable (FlareID) async -> JSONObject? = { _ in nil },
        isOnline: @escaping @Sendable (FlareID) async -> Bool? = { _ in nil },
        execute: @escaping @Sendable (Command.Operation) async -> Answer?,
        give: @escaping @Sendable (Command.Operation, Caller, String?) async -> Answer?,
        command: @escaping @Sendable (String) async -> StoredThingCommand?
    ) {
        (self.plan, self.gone, self.locate) = (plan, gone, locate)
        (self.slugs, self.data, self.isOnline) = (slugs, data, isOnline)
        (self.execute, self.give, self.command) = (execute, give, command)
    }
}

extension BindingPlace {
    /// The place of a running node.
    ///
    /// - Parameters:
    ///   - loop: The node's.
    ///   - state: The node's state; called on the loop.
    package init(
        on loop: LoopExecutor,
        _ place: AccountsPlace,
        _ commands: PlaceCommands,
        clock: @escaping @Sendable () -> Instant,
        state: @escaping @Sendable () -> ControllerState
    ) {
        @Sendable func onLoop<Found: Sendable>(
            _ read: @escaping @Sendable (ControllerState) -> Found
        ) async -> Found {
            await withCheckedContinuation { continuation in
                loop.perform { continuation.resume(returning: read(state())) }
            }
        }
        self.init(
            plan: { wish in
                let now = clock().wallMilliseconds
                return await onLoop { $0.plan(wish, at: now) }
            },
            gone: { things in await onLoop { $0.gone(of: things) } },
            locate: { thing in await place.locate(ObjectReference(.thing, thing)) },
            slugs: { things in
                let found = await place.slugs(things.map { ObjectReference(.thing, $0) })
                return Dictionary(found.map { ($0.key.id, $0.value) }) { first, _ in first }
            },
            data: { thing in await onLoop { $0.things[thing]?.data } },
            isOnline: { thing in await onLoop { $0.conditions[thing]?.isOnline } },
            execute: { await commands.execute($0) },
            give: { await commands.execute($0, for: $1, from: $2) },
            command: { id in await onLoop { $0.slices[BindingsSlice.self].command(id) } }
        )
    }
}

/// Gives commands to the controller, and waits for their answers.
package final class PlaceCommands: Sendable {
    private struct Waiting {
        let continuation: CheckedContinuation<Answer?, Never>
        var timeout: Task<Void, Never>?
    }

    private struct State {
        var next: Int
        var waiting: [Int: Waiting] = [:]
    }

    /// Whose commands they are for the controller.
    package static let actor = Command.Actor.controller
    /// Longer than the Flare server may take.
    private static let patience = Duration.seconds(20)

    // Beginning anywhere: a reload makes another one, which must not receive answers to this one's commands.
    private let state = Locked(State(next: Int.random(in: 0..<Int(Int32.max)) << 20))
    private let send: @Sendable (ControllerEvent) -> Void
    private let sleep: @Sendable (Duration) async throws -> Void

    package init(
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        (self.sleep, self.send) = (sleep, send)
    }

    /// - Parameters:
    ///   - caller: Whose rights are asked; by default nobody's are.
    ///   - address: Where it comes from.
    package func execute(
        _ operation: Command.Operation,
        for caller: Caller = .nobody,
        from address: String? = nil
    ) async -> Answer? {
        let ticket = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return await withCheckedContinuation { continuation in
            state.withLock { $0.waiting[ticket] = Waiting(continuation: continuation) }
            // Unstructured, because it ends a continuation; whoever ends it cancels this.
            let timeout = Task { [sleep] in
                guard (try? await sleep(Self.patience)) != nil else { return }
                finish(ticket, nil)
            }
            let isWaiting = state.withLock { state in
                state.waiting[ticket]?.timeout = timeout
                return state.waiting[ticket] != nil
            }
            if !isWaiting { timeout.cancel() }
            send(
                .commandReceived(
                    Command(
                        ticket: ticket,
                        operation: operation,
                        actor: Self.actor,
                        caller: caller,
                        source: address
                    )
                )
            )
        }
    }

    package func receive(_ answer: Answer) { finish(answer.ticket, answer) }

    private func finish(_ ticket: Int, _ answer: Answer?) {
        guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: ticket) }) else { return }
        waiting.timeout?.cancel()
        waiting.continuation.resume(returning: answer)
    }
}
