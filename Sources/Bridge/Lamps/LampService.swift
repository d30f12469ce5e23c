package import Controller
package import Flare
package import Lamps
package import Logging
package import MQTT
import People
import Text
package import Threading

/// Keeps things and their real lamps on the broker equal, by the rules of ``LampLink``.
package actor LampService {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A thing, by short name, name or identifier, and how its lamp is spoken to.
    package struct Pair: Sendable {
        let thing: String
        let dialect: any LampDialect

        package init(thing: String, dialect: any LampDialect) {
            self.thing = thing
            self.dialect = dialect
        }
    }

    /// A lamp link and its thing.
    struct Entry {
        let pair: Pair
        var link: LampLink
        /// The thing, while it is in the current environment.
        var id: FlareID?
        /// What it is called on topics, for messages.
        var label: String
        var isSilent = false
        /// Why the link does nothing, if that is a mistake.
        var fault: String?
    }

    var entries: [Entry]
    /// When each link has to be updated without a message.
    private var deadlines: DeadlineQueue
    private var entriesByTopic: [String: [Int]]
    var entriesByThing: [FlareID: Int] = [:]
    /// The thing that each name meant first.
    var meanings: [String: FlareID]
    let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void
    private let client: MQTTClient
    private let clock: @Sendable () -> Instant
    let send: @Sendable (ControllerEvent) -> Void
    private let onGarbage: @Sendable () -> Void
    let logger: Logger

    /// Random at first: answers to commands of earlier links may still arrive.
    private var nextTicket = Int.random(in: 1...(1 << 52))
    /// The entries of pending commands, by ticket.
    private var asked: [Int: Int] = [:]
    /// The names of the things when the links' things were last resolved.
    var names: [FlareID: String] = [:]
    var namedEnvironment: FlareID?
    var reportedFaults: [String] = []
    private var warnings: Set<String> = []
    private var plannedWake: Int64?
    /// Whether there is a link to the broker.
    private var isUp = false
    /// Whether the lamps' messages arrive.
    private var isReading = false

    private static let maximumWarnings = 200

    /// - Parameters:
    ///   - meanings: What names meant in earlier runs.
    ///   - onGarbage: Called for every message of a lamp that was not understood.
    package init(
        on loop: LoopExecutor,
        _ pairs: [Pair],
        meanings: [String: FlareID] = [:],
        client: MQTTClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Instant,
        onGarbage: @escaping @Sendable () -> Void = {},
        remember: @escaping @Sendable (ControllerEffect.PersistedRecord) -> Void = { _ in },
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        self.loop = loop
        (self.meanings, self.remember) = (meanings, remember)
        entries = pairs.map {
            Entry(pair: $0, link: LampLink($0.dialect, seed: .random(in: 0 ... .max)), label: $0.thing)
        }
        deadlines = DeadlineQueue(count: pairs.count)
        var byTopic: [String: [Int]] = [:]
        for (index, pair) in pairs.enumerated() {
            for topic in Set(pair.dialect.topics) { byTopic[topic, default: []].append(index) }
        }
        entriesByTopic = byTopic
        self.client = client
        self.clock = clock
        self.send = send
        self.onGarbage = onGarbage
        self.logger = logger
    }

    /// The changes that links observe.
    package static func isInterested(in change: StateChange) -> Bool {
        switch change {
        case .environment: true
        case .object(let object): object.kind == .thing
        default: false
        }
    }

    /// Receives the lamps' messages until the subscription is cancelled.
    package func subscribe() -> MQTTSubscription {
        let subscription = client.subscribe(
            entriesByTopic.keys.sorted(),
            qos: .atLeastOnce,
            on: loop
        ) { message in
            self.onExecutor { $0.receive(message) }
        }
        isReading = true
        if isUp { brokerChanged(isUp: true) }
        return subscription
    }

    /// Leaves the lamps and the things alone from now on.
    package func end() {
        for id in entriesByThing.keys { send(.conditionChanged(id, nil)) }
        (entries, entriesByTopic, entriesByThing) = ([], [:], [:])
        (asked, deadlines) = ([:], DeadlineQueue(count: 0))
        reportedFaults = []
    }

    // MARK: The lamps

    private func receive(_ message: MQTTMessage) {
        for index in entriesByTopic[message.topic] ?? [] {
            do throws(LampMessageError) {
                if let bytes = message.oversizeBytes { throw LampMessageError.tooLong(bytes) }
                let report = try entries[index].pair.dialect.report(on: message.topic, message.payload)
                logUnusable(report, on: message.topic, of: index)
                perform(entries[index].link.lampSaid(report, on: message.topic, at: now), for: index)
            } catch {
                onGarbage()
                log("message of a lamp ignored", error, on: message.topic, of: index)
            }
        }
        planWake()
    }

    /// Logs the values that could not be used; a message without any other counts as ignored.
    private func logUnusable(_ report: LampReport, on topic: String, of index: Int) {
        guard case .state(let state, let unknowns) = report, !unknowns.errors.isEmpty else { return }
        if state.isEmpty { onGarbage() }
        for error in unknowns.errors { log("value of a lamp ignored", error, on: topic, of: index) }
    }

    private func log(_ text: Logger.Message, _ error: LampMessageError, on topic: String, of index: Int) {
        guard warnings.count < Self.maximumWarnings,
            warnings.insert("\(index) \(topic) \(error.cause)").inserted
        else { return }
        logger.warning(
            text,
            metadata: ["thing": "\(entries[index].label)", "topic": "\(topic)", "why": "\(error)"]
        )
    }

    /// Handles a change of the link to the broker.
    package func brokerChanged(isUp: Bool) {
        self.isUp = isUp
        // What a lamp is asked before would be answered to nobody.
        guard isReading else { return }
        for index in entries.indices {
            perform(entries[index].link.brokerChanged(isUp: isUp, at: now), for: index)
        }
        planWake()
    }

    // MARK: The things

    /// Follows what a turn has changed.
    package func observe(_ snapshot: StateSnapshot) {
        let changes = snapshot.changes
        var seen: Set<FlareID> = changes.contains(.environment) ? Set(entriesByThing.keys) : []
        for case .object(let object) in changes where entriesByThing[object.id] != nil {
            seen.insert(object.id)
        }
        for id in seen {
            if let index = entriesByThing[id] { refresh(id, in: snapshot.state, for: index) }
        }
        if haveNamesChanged(changes, in: snapshot.state) { findThings(in: snapshot.state) }
        updateFaultAlert()
        planWake()
    }

    func warn(_ index: Int, _ text: String) {
        guard warnings.count < Self.maximumWarnings, warnings.insert("\(index) \(text)").inserted else {
            return
        }
        logger.warning("\(text)", metadata: ["thing": "\(entries[index].label)"])
    }

    func refresh(_ thing: FlareID, in state: ControllerState, for index: Int) {
        let isHere = state.things[thing] != nil
        let linked = state.things[thing].flatMap {
            LinkedThing(
                $0,
                state.shape(of: $0),
                goal: state.goals[thing],
                seconds: state.goalSeconds[thing]
            )
        }
        entries[index].fault =
            isHere && linked == nil
            ? "cannot be switched: its data has none of on, brightness, color, colorTemperature" : nil
        perform(entries[index].link.thingSeen(linked, at: now), for: index)
        guard linked == nil, let id = entries[index].id else { return }
        if !isHere {
            entries[index].id = nil
            entriesByThing[id] = nil
        }
        send(.conditionChanged(id, nil))
        setSilent(false, index)
    }

    /// Handles the answer to a link's command, after the state of the same turn was observed.
    package func receive(_ answer: Answer) {
        guard let index = asked.removeValue(forKey: answer.ticket) else { return }
        perform(entries[index].link.answered(answer.refusal, at: now), for: index)
        planWake()
    }

    // MARK: Actions

    private var now: Int64 { clock().steadyMilliseconds }

    private func perform(_ actions: [LampLink.Action], for index: Int) {
        deadlines[index] = entries[index].link.nextDue(after: now)
        for action in actions {
            switch action {
            case .publish(let messages):
                for message in messages {
                    // Without a link it is dropped: the lamp link publishes again after the reconnect.
                    client.publish(MQTTMessage(topic: message.topic, payload: Array(message.payload.utf8)))
                }
            case .set(let request):
                guard let id = entries[index].id else { continue }
                asked[nextTicket] = index
                let operation = Command.Operation.set(.thing("\(id)"), request)
                send(
                    .commandReceived(
                        Command(ticket: nextTicket, operation: operation, actor: .lamp, caller: .nobody)
                    )
                )
                nextTicket += 1
            case .report(let condition):
                guard let id = entries[index].id else { continue }
                send(
                    .conditionChanged(
                        id,
                        ThingCondition(
                            isOnline: condition.isOnline && !condition.isSilent,
                            isUnconfirmed: condition.isUnconfirmed
                        )
                    )
                )
                setSilent(condition.isSilent, index)
            case .log(let text):
                warn(index, text)
            }
        }
    }

    private func setSilent(_ isSilent: Bool, _ index: Int) {
        guard entries[index].isSilent != isSilent else { return }
        entries[index].isSilent = isSilent
        if isSilent {
            logger.warning("a lamp does not answer", metadata: ["thing": "\(entries[index].label)"])
        }
        let silent = entries.filter(\.isSilent).map { entry in
            "\(entry.label) (\(entry.pair.dialect.commandTopics.first ?? ""))"
        }
        guard !silent.isEmpty else { return send(.alertCleared("lamps")) }
        let names = QuotedValue.list(silent.sorted())
        send(
            .alertRaised(
                "lamps",
                .warning,
                message: "No answer from the lamp of: \(names). Is it on the mains, and its topic right?"
            )
        )
    }

    // MARK: Time

    private func planWake() {
        guard let due = deadlines.earliest, plannedWake.map({ due < $0 || $0 <= now }) ?? true else { return }
        plannedWake = due
        let rest = max(0, due - now)
        // Each deadline has a task of its own, because an earlier one may be planned later.
        Task {
            try? await Task.sleep(for: .milliseconds(rest))
            timePassed(until: due)
        }
    }

    private func timePassed(until due: Int64) {
        if plannedWake == due { plannedWake = nil }
        let now = now
        for index in deadlines.removeDue(at: now) {
            perform(entries[index].link.timePassed(at: now), for: index)
        }
        planWake()
    }
}

extension LampMessageError {
    fileprivate static func tooLong(_ bytes: Int) -> LampMessageError {
        LampMessageError(cause: "the message is too long", value: "\(bytes) bytes")
    }
}
