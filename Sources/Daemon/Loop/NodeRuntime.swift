package import Controller
import DequeModule
package import Flare
import JSON
import Messages
package import Sensing
package import Things
package import Threading

/// Runs the controller of one node: the only owner of its state.
///
/// A turn is one event and everything that it causes in this process: the embedded server, the database and the timers
/// are called as plain functions, and their replies are handled in the same turn. At its end the turn stores the records,
/// and then publishes what it has led to.
package actor NodeRuntime {
    /// What a turn publishes beside the changes of the state, in this order.
    package struct TurnOutput: Sendable {
        /// Whether Home Assistant discovery is published.
        package var announces = false
        /// Whether the whole state is published again, changed or not.
        package var resendsState = false
        package var events: [ChangeEvent] = []
        package var answers: [Answer] = []
        /// The same of further nodes, apart from their answers.
        var nodes: [String: TurnOutput] = [:]

        var isEmpty: Bool { !announces && !resendsState && events.isEmpty && answers.isEmpty }
    }

    /// The functions that carry out effects.
    ///
    /// They are called on the loop, within the turn, and must not block.
    package final class Ports: Sendable {
        let flare: @Sendable (FlareRequest) -> Void
        /// Sends an order to a thing at the edge.
        let edge: @Sendable (EdgeOrder) -> Void
        let sensors: @Sendable (SensorPipeline.Input) -> Void
        let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void
        /// Stores the records of this turn.
        let store: @Sendable () -> Void
        /// Publishes the state, if the snapshot has changes, and then the rest.
        ///
        /// The snapshot is not to be retained: that would make the controller copy its dictionaries at every change.
        let publish: @Sendable (StateSnapshot, TurnOutput) -> Void
        let log: @Sendable (CommandRecord) -> Void
        let shell: @Sendable (ShellRequest) -> Void
        /// Publishes the state of a further node, if the snapshot has changes, and then the rest; as ``publish``.
        let publishNode: @Sendable (String, StateSnapshot, TurnOutput) -> Void
        /// Switches a sensor of a further node.
        let switchNodeSensor: @Sendable (String, SensorKind, Bool) -> Void

        package init(
            flare: @escaping @Sendable (FlareRequest) -> Void,
            edge: @escaping @Sendable (EdgeOrder) -> Void = { _ in },
            sensors: @escaping @Sendable (SensorPipeline.Input) -> Void = { _ in },
            remember: @escaping @Sendable (ControllerEffect.PersistedRecord) -> Void = { _ in },
            store: @escaping @Sendable () -> Void = {},
            publish: @escaping @Sendable (StateSnapshot, TurnOutput) -> Void = { _, _ in },
            log: @escaping @Sendable (CommandRecord) -> Void = { _ in },
            shell: @escaping @Sendable (ShellRequest) -> Void = { _ in },
            publishNode: @escaping @Sendable (String, StateSnapshot, TurnOutput) -> Void = { _, _, _ in },
            switchNodeSensor: @escaping @Sendable (String, SensorKind, Bool) -> Void = { _, _, _ in }
        ) {
            (self.flare, self.edge, self.sensors) = (flare, edge, sensors)
            (self.remember, self.store) = (remember, store)
            (self.publish, self.log, self.shell) = (publish, log, shell)
            (self.publishNode, self.switchNodeSensor) = (publishNode, switchNodeSensor)
        }
    }

    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var controller: DeviceController
    private var ports: Ports?
    private var timers: TimerService?
    /// What starts at the end of the turn: a timer is a task, and most that start and stop do so within one.
    private var newTimers: [ControllerTimer: Duration] = [:]
    private let clock: @Sendable () -> Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let program: ProgramInfo

    /// What the current turn has caused and not handled yet.
    private struct Inbox {
        /// Whether there is a turn.
        var isOpen = false
        var events: Deque<ControllerEvent> = []

        /// - Returns: `false` if there is no turn.
        mutating func add(_ event: ControllerEvent) -> Bool {
            if isOpen { events.append(event) }
            return isOpen
        }
    }

    /// Behind a lock, so that replies within a turn need not enter the node.
    private nonisolated let inbox = Locked(Inbox())
    private var hasEnded = false

    /// - Parameters:
    ///   - loop: The executor of the node and of everything that it calls.
    ///   - clock: The time of events.
    ///   - sleep: Used by timers.
    package init(
        on loop: LoopExecutor,
        controller: DeviceController,
        clock: @escaping @Sendable () -> Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        program: ProgramInfo
    ) {
        (self.loop, self.controller) = (loop, controller)
        (self.clock, self.sleep, self.program) = (clock, sleep, program)
    }

    /// Sets what the node calls; before the first event.
    package func connect(_ ports: Ports, policies: [any CommandPolicy] = []) {
        (self.ports, controller.policies) = (ports, policies)
        timers = TimerService(sleep: sleep) { [weak self] firing in
            guard let self else { return }
            loop.perform { self.onExecutor { $0.fired(firing) } }
        }
    }

    /// Uses the policies and other observers of the capabilities, after a reload.
    ///
    /// - Parameter observers: Those that have seen nothing yet, and are shown everything.
    /// - Returns: The state, with everything as changed; not to be retained.
    package func use(_ policies: [any CommandPolicy], showing observers: [StateObserver]) -> StateSnapshot {
        controller.policies = policies
        let snapshot = StateSnapshot(state: controller.state, changes: controller.state.everything)
        for observer in observers { observer.observe(snapshot) }
        return snapshot
    }

    /// The state of a further node, with everything as changed; `nil` for one that is not listed.
    package func snapshot(of node: String) -> StateSnapshot? {
        controller.state.standing(for: node).map { StateSnapshot(state: $0, changes: $0.everything) }
    }

    /// Returns when everything that was sent before was handled.
    package nonisolated func settled() async {
        await withCheckedContinuation { done in loop.perform { done.resume() } }
    }

    /// Sends an event, from any thread.
    ///
    /// Each event has its own turn; the order is kept.
    package nonisolated func send(_ event: ControllerEvent) {
        loop.perform { self.onExecutor { $0.turn(event) } }
    }

    /// Receives an event of the Flare server.
    ///
    /// An event that arrives within a turn was caused by it and is handled in it.
    package nonisolated func receive(_ event: FlareEvent) {
        let event = ControllerEvent.flare(event)
        // Without a turn the caller is in the middle of its own work: start one after it.
        guard loop.isCurrent, inbox.withLock({ $0.add(event) }) else { return send(event) }
    }

    /// The state; not to be retained beyond the call, because the controller would copy its dictionaries.
    package var state: ControllerState { controller.state }

    /// How commands fared since the start.
    package var commandFigures: CommandFigures { controller.commandFigures }

    /// Asks the node's policies about a change that is not a command.
    package func refusal(of request: ChangeRequest) -> Refusal? {
        hasEnded ? Refusal(.notAllowed, "this node is ending") : controller.refusal(of: request)
    }

    /// Whether it would be carried out; cheaper than the reason why not.
    package func allows(_ request: ChangeRequest) -> Bool { !hasEnded && controller.allows(request) }

    /// Asks the rights of users about it, and no other policy.
    package func rightsRefusal(of request: ChangeRequest) -> Refusal? {
        hasEnded ? Refusal(.notAllowed, "this node is ending") : controller.rightsRefusal(of: request)
    }

    /// Runs the last turn; later events are ignored.
    ///
    /// - Returns: The slices of the state, for the next node.
    @discardableResult
    package func end() -> Slices {
        turn(.stopBegun)
        hasEnded = true
        timers?.stopAll()
        // These closures retain the node.
        (ports, controller.policies) = (nil, [])
        return controller.state.slices
    }

    private func fired(_ firing: TimerService.Firing) {
        if timers?.accept(firing) == true { turn(.timerFired(firing.timer)) }
    }

    // MARK: A turn

    private func turn(_ event: ControllerEvent) {
        guard !hasEnded, let ports else { return }
        var output = TurnOutput()
        inbox.withLock { $0.isOpen = true }
        handle(event, ports, &output)
        while let event = inbox.withLock({ $0.events.popFirst() }) { handle(event, ports, &output) }
        inbox.withLock { $0.isOpen = false }
        startTimers()
        ports.store()
        for index in output.answers.indices { complete(&output.answers[index]) }
        let nodes = controller.changedNodes()
        // Where they came from; nearly always there is one node.
        let ofNodes = output.nodes.isEmpty && nodes.isEmpty ? [:] : exchange(&output.nodes, with: [:])
        let answers = output.answers.filter { $0.node != nil }
        if !answers.isEmpty { output.answers.removeAll { $0.node != nil } }
        if let snapshot = controller.removeSnapshot() {
            ports.publish(snapshot, output)
        } else if !output.isEmpty {
            ports.publish(StateSnapshot(state: controller.state, changes: []), output)
        }
        publish(nodes, ofNodes, answers, ports)
    }

    /// Publishes what concerns further nodes, after the place.
    private func publish(
        _ changed: [String],
        _ outputs: [String: TurnOutput],
        _ answers: [Answer],
        _ ports: Ports
    ) {
        guard !changed.isEmpty || !outputs.isEmpty || !answers.isEmpty else { return }
        var outputs = outputs
        for answer in answers {
            if let node = answer.node { outputs[node, default: .init()].answers.append(answer) }
        }
        for node in Set(changed).union(outputs.keys).sorted() {
            let output = outputs[node] ?? TurnOutput()
            if let snapshot = controller.removeSnapshot(of: node) {
                ports.publishNode(node, snapshot, output)
            } else {
                // A node that was just removed still answers.
                let state = controller.state.standing(for: node) ?? controller.state
                ports.publishNode(node, StateSnapshot(state: state, changes: []), output)
            }
        }
    }

    private func carryOut(
        _ effect: ControllerEffect,
        of node: String,
        _ ports: Ports,
        _ output: inout TurnOutput
    ) {
        switch effect {
        case .remember(let record): ports.remember(.node(node, record))
        case .switchSensor(let sensor, let on): ports.switchNodeSensor(node, sensor, on)
        case .emit(let event): output.nodes[node, default: .init()].events.append(event)
        case .resendState: output.nodes[node, default: .init()].resendsState = true
        case .announce: output.nodes[node, default: .init()].announces = true
        // The others are marked with the node themselves, or are of the place.
        default: break
        }
    }

    private func handle(_ event: ControllerEvent, _ ports: Ports, _ output: inout TurnOutput) {
        for effect in controller.apply(event, at: clock()) {
            switch consume effect {
            case .flare(let request): ports.flare(request)
            case .edge(let order): ports.edge(order)
            case .trackBeacons(let place): ports.sensors(.track(place))
            case .switchSensor(let sensor, let on): ports.sensors(.switched(sensor, on: on))
            case .startTimer(let timer, let milliseconds):
                newTimers[timer] = .milliseconds(milliseconds)
            case .stopTimer(let timer):
                newTimers[timer] = nil
                timers?.stop(timer)
            case .remember(let record): ports.remember(record)
            case .answer(let answer): output.answers.append(answer)
            case .log(let record): ports.log(record)
            case .emit(let event): output.events.append(event)
            case .resendState: output.resendsState = true
            case .announce: output.announces = true
            case .readConfiguration: ports.shell(.readConfiguration)
            case .rebuild: ports.shell(.rebuild)
            case .restart: ports.shell(.restart)
            case .setLogLevel(let level): ports.shell(.logLevel(level))
            case .node(let node, let effect): carryOut(effect, of: node, ports, &output)
            }
        }
    }

    private func startTimers() {
        guard !newTimers.isEmpty else { return }
        for (timer, delay) in newTimers { timers?.start(timer, after: delay) }
        newTimers.removeAll(keepingCapacity: true)
    }

    /// Adds what the controller does not know: JSON, version, uptime.
    private func complete(_ answer: inout Answer) {
        guard answer.refusal == nil else { return }
        switch answer.subject {
        case .get:
            guard let thing = answer.target?.object else { return }
            let data = controller.state.thingJSON(thing.id)
            answer.data = answer.isContainerHidden ? data?.withoutContainer(of: .thing) : data
        case .verb("ping"):
            answer.data = [
                "version": .string(program.version),
                "uptime_s": JSONValue(Int(clock().milliseconds(since: program.started) / 1000)),
            ]
        case .set, .verb:
            return
        }
    }
}
