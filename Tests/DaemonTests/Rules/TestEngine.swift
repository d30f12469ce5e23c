import Controller
import Daemon
import Flare
import JSON
import Rules
import Things
import Threading

/// The engine of rules as a node would have it, without the node: what it is told it does within the call.
final class TestEngine: Sendable {
    /// What is so; every thing that is there has data.
    struct View: RuleView, Sendable {
        var things: [FlareID: JSONObject] = [:]
        var slugs: [FlareID: String] = [:]
        var zone = RulePresence.nowhere
        var nearby = RulePresence.nowhere
        var level: LifecycleLevel? = .active
        var location: GeoPoint?

        var devices: [String?] { [nil] }

        func presence(_ kind: FlareClass, of node: String?) -> RulePresence {
            node == nil ? kind == .zone ? zone : nearby : .unknown
        }

        func data(of thing: FlareID) -> JSONObject? { things[thing] }
        func isOnline(_ thing: FlareID) -> Bool? { nil }
        func address(of thing: FlareID) -> String? { nil }
        func name(_ kind: FlareClass, _ id: FlareID) -> String { slugs[id] ?? "\(id)" }
    }

    private struct State {
        var engine: RuleEngine
        var view = View()
        var instant: RuleInstant
        var changes: [RulesSlice.Event] = []
        var outputs: [RuleOutput] = []
    }

    private let state: Locked<State>

    init(at now: Int64) {
        let instant = RuleInstant(wall: now, steady: 0)
        state = Locked(
            State(
                engine: RuleEngine(RuleEngine.Configuration(), RuleCalendar(), at: instant),
                instant: instant
            )
        )
    }

    /// What the service has told it.
    var changes: [RulesSlice.Event] { state.withLock { $0.changes } }
    var outputs: [RuleOutput] { state.withLock { $0.outputs } }

    func change(_ change: (inout View) -> Void) { state.withLock { change(&$0.view) } }

    func handle(_ event: RuleEvent) { state.withLock { Self.handle(event, &$0) } }

    private static func handle(_ event: RuleEvent, _ state: inout State) {
        let outputs = state.engine.handle(event, at: state.instant, in: state.view)
        state.outputs += outputs
    }

    private func receive(_ change: RulesSlice.Event) {
        state.withLock { state in
            state.changes.append(change)
            switch change {
            case .loaded(let load):
                let memories = load.memories.mapValues { RuleMemory($0) }
                Self.handle(.calendarChanged(load.calendar), &state)
                Self.handle(.started(load.rules.map(\.entry), memories: memories), &state)
            case .added(let rule, let calendar):
                Self.handle(.calendarChanged(calendar), &state)
                Self.handle(.ruleAdded(rule.entry), &state)
            case .removed(let id): Self.handle(.ruleRemoved(id), &state)
            case .switched(let id, let isOn): Self.handle(.ruleSwitched(id, isOn: isOn), &state)
            case .judged(let id, let suspension): Self.handle(.ruleJudged(id, suspension), &state)
            case .calendar(let calendar): Self.handle(.calendarChanged(calendar), &state)
            // Of the node itself.
            case .missed, .run, .stored, .sent, .due, .clockSet, .beacon, .settled: break
            }
        }
    }

    /// - Returns: How many rules have fired so far, which is the number of this one.
    private func run(_ id: Int) -> Result<Int64, Refusal> {
        state.withLock { state in
            let count = state.outputs.count
            Self.handle(.runRequested(id), &state)
            let isFired = state.outputs.dropFirst(count).contains {
                if case .fired = $0 { true } else { false }
            }
            guard isFired else { return .failure(Refusal(.notAllowed, "the rule is suspended")) }
            let fired = state.outputs.count { if case .fired = $0 { true } else { false } }
            return .success(Int64(fired))
        }
    }

    var port: RuleEnginePort {
        RuleEnginePort(
            send: { self.receive($0) },
            standings: { ids in
                self.state.withLock { state in
                    var found: [Int: RuleEnginePort.Standing] = [:]
                    for id in ids {
                        guard let isOn = state.engine.isOn(id) else { continue }
                        let times = state.engine.times(of: id)
                        found[id] = .init(isOn: isOn, state.engine.suspension(of: id), times)
                    }
                    return found
                }
            },
            explanation: { id in
                self.state.withLock { $0.engine.explanation(of: id, in: $0.view) }
            },
            test: { rule, id in
                self.state.withLock { state in
                    RuleTest(
                        of: rule,
                        in: state.view,
                        at: state.instant.wall,
                        state.engine.calendar,
                        waits: id.flatMap { state.engine.waits(of: $0, at: state.instant) }
                    )
                }
            },
            run: { self.run($0) }
        )
    }
}
