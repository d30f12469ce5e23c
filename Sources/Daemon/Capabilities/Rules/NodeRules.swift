package import Controller
package import Rules
package import Things
package import Threading

/// The rules of a running node, for the service that makes and shows them.
///
/// What is asked comes after everything that was sent before.
package struct NodeRules: Sendable {
    private let loop: LoopExecutor
    private let sendEvent: @Sendable (ControllerEvent) -> Void
    private let clock: @Sendable () -> Instant
    private let state: @Sendable () -> ControllerState
    /// Counts the requests to run a rule.
    private let runs = Locked(0)

    /// - Parameters:
    ///   - loop: The node's.
    ///   - state: The node's state; called on the loop.
    package init(
        on loop: LoopExecutor,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        clock: @escaping @Sendable () -> Instant,
        state: @escaping @Sendable () -> ControllerState
    ) {
        (self.loop, sendEvent, self.clock, self.state) = (loop, send, clock, state)
    }

    package func send(_ event: RulesSlice.Event) { sendEvent(RulesSlice.event(event)) }

    /// Reads something of the rules as they are now.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (RulesSlice, ControllerState) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            loop.perform {
                let value = { () -> Value in
                    let state = state()
                    return body(state.slices[RulesSlice.self], state)
                }()
                continuation.resume(returning: value)
            }
        }
    }

    /// Runs a rule's actions now, whatever its conditions say.
    ///
    /// - Returns: The number of the firing, or why there is none.
    package func run(_ id: Int) async -> Result<Int64, Refusal> {
        let number = runs.withLock { runs in
            runs += 1
            return runs
        }
        send(.run(id, number: number))
        let results = await read { rules, _ in rules.runResults }
        guard let result = results.last(where: { $0.number == number }) else {
            return .failure(Refusal(.timeout, "this node is ending"))
        }
        return result.firing
    }

    /// Looks at a rule, whose references are identifiers; nothing is done.
    package func test(_ rule: Rule, _ id: Int?) async -> RuleTest {
        await read { [clock] rules, state in rules.test(rule, id, in: state, at: clock()) }
    }

    /// The last times that a rule did not fire, newest last.
    package func explanation(of id: Int) async -> [RuleExplanation] {
        await read { rules, state in rules.explanation(of: id, in: state) }
    }
}
