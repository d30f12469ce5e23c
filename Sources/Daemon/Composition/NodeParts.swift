import Controller
import HTTPListener
import HomeAssistant
import Sensing
import ServiceLifecycle
import Threading
import Web

/// The parts of a node's capabilities as they are now: a reload replaces those that it concerns.
final class NodeParts: Sendable {
    private struct State: Sendable {
        var named: [(name: String, parts: CapabilityParts?)] = [] { didSet { find() } }
        /// What is asked for at every turn and request: copies of all parts would cost more.
        private(set) var observers: [StateObserver] = []
        private(set) var receivers: [(actor: Command.Actor, receive: @Sendable (Answer) -> Void)] = []
        private(set) var routes: [WebRoute] = []
        private(set) var edge: (@Sendable (EdgeOrder) -> Void)?

        private mutating func find() {
            observers = named.compactMap(\.parts?.observer)
            receivers = named.compactMap(\.parts?.answers)
            routes = named.compactMap(\.parts?.routes).flatMap(\.self)
            edge = named.lazy.compactMap(\.parts?.edge).first
        }
    }

    private let state = Locked(State())

    /// Uses the parts of all capabilities, in their order; `nil` for what is off.
    func use(_ named: [(name: String, parts: CapabilityParts?)]) { state.withLock { $0.named = named } }

    /// Those that are switched on, in the order of the capabilities.
    var all: [CapabilityParts] { state.withLock { $0.named.compactMap(\.parts) } }

    subscript(name: String) -> CapabilityParts? {
        get { state.withLock { $0.named.first { $0.name == name }?.parts } }
        set {
            state.withLock { state in
                guard let index = state.named.firstIndex(where: { $0.name == name }) else { return }
                state.named[index].parts = newValue
            }
        }
    }

    /// The services of each capability.
    func services(
        _ services: (CapabilityParts) -> [any Service]
    ) -> [(name: String, services: [any Service])] {
        state.withLock { $0.named }.map { ($0.name, $0.parts.map(services) ?? []) }
    }

    var features: [String] { all.flatMap(\.features) }
    var links: [String] { all.flatMap(\.links) }
    var localAnswers: [LocalAnswer] { all.flatMap(\.localAnswers) }
    var policies: [any CommandPolicy] { all.compactMap(\.policy) }
    var discovery: DiscoverySettings? { all.compactMap(\.discovery).first }

    /// Those who are shown each state.
    var observers: [StateObserver] { state.withLock { $0.observers } }

    /// What the web listener answers beside its own paths.
    var routes: [WebRoute] { state.withLock { $0.routes } }

    /// What sends orders to things at the edge; `nil` if no things speak on the broker.
    var edge: (@Sendable (EdgeOrder) -> Void)? { state.withLock { $0.edge } }

    /// Whoever receives the answers to an actor's commands.
    func receiver(of actor: Command.Actor) -> (@Sendable (Answer) -> Void)? {
        state.withLock { $0.receivers.first { $0.actor == actor }?.receive }
    }
}

/// The inputs of a node's sensor pipeline, of which a reload makes another one.
final class SensorInputs: Sendable {
    private struct State {
        var port: AsyncStream<SensorPipeline.Input>.Continuation?
        /// What another pipeline must know as well.
        var place: SensorPipeline.Input?
        var switches: [SensorKind: Bool] = [:]
        var hasFailed = false
    }

    private let state = Locked(State())

    func send(_ input: SensorPipeline.Input) {
        let port = state.withLock { state in
            switch input {
            case .track: state.place = input
            case .switched(let sensor, let isOn): state.switches[sensor] = isOn
            case .reading, .handled: break
            }
            return state.port
        }
        port?.yield(input)
    }

    /// Whether a source of the present pipeline has ended with an error.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    func recordFailure() { state.withLock { $0.hasFailed = true } }

    /// Sends to another pipeline from now on, beginning with what the last one knew.
    func connect(_ port: AsyncStream<SensorPipeline.Input>.Continuation) {
        let known = state.withLock { state in
            (state.port, state.hasFailed) = (port, false)
            return state.switches.map { SensorPipeline.Input.switched($0, on: $1) }
                + [state.place].compactMap(\.self)
        }
        for input in known { port.yield(input) }
    }
}
