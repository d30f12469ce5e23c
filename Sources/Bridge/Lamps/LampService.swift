package import Controller
import Flare
package import Lamps
package import Logging
package import MQTT
import Things
package import Threading

/// Real lamps on the broker, each tied to a thing: hears both sides, and does what the rules of their links say.
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

    struct Seat {
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

    var seats: [Seat]
    /// When the link of each seat wants to be asked again.
    private var deadlines: DeadlineQueue
    private let seatsByTopic: [String: [Int]]
    var seatsByThing: [FlareID: Int] = [:]
    private let client: MQTTClient
    private let clock: @Sendable () -> Instant
    let send: @Sendable (ControllerEvent) -> Void
    private let onGarbage: @Sendable () -> Void
    let logger: Logger

    private var nextTicket = 1
    /// Whose thing was asked for something.
    private var asked: [Int: Int] = [:]
    /// What the things were called when links without one were looked at last.
    var names: [FlareID: String] = [:]
    var namedEnvironment: FlareID?
    var toldFaults: [String] = []
    private var complaints: Set<String> = []
    private var plannedWake: Int64?

    private static let mostComplaints = 200

    /// - Parameter onGarbage: Called for every message of a lamp that was not understood.
    package init(
        on loop: LoopExecutor,
        _ pairs: [Pair],
        client: MQTTClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Instant,
        onGarbage: @escaping @Sendable () -> Void = {},
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        self.loop = loop
        seats = pairs.map {
            Seat(pair: $0, link: LampLink($0.dialect, seed: .random(in: 0 ... .max)), label: $0.thing)
        }
        deadlines = DeadlineQueue(count: pairs.count)
        var byTopic: [String: [Int]] = [:]
        for (index, pair) in pairs.enumerated() {
            for topic in Set(pair.dialect.topics) { byTopic[topic, default: []].append(index) }
        }
        seatsByTopic = byTopic
        self.client = client
        self.clock = clock
        self.send = send
        self.onGarbage = onGarbage
        self.logger = logger
    }

    /// What of the state matters to links.
    package static func isInterested(in facet: StateChange) -> Bool {
        switch facet {
        case .environment: true
        case .object(let object): object.kind == .thing
        default: false
        }
    }

    /// Receives what the lamps say, until the subscription is cancelled.
    package func subscribe() -> MQTTSubscription {
        client.subscribe(seatsByTopic.keys.sorted(), qos: .atLeastOnce, on: loop) { message in
            self.assumeIsolated { $0.take(message) }
        }
    }

    // MARK: The lamps

    private func take(_ message: MQTTMessage) {
        for index in seatsByTopic[message.topic] ?? [] {
            do throws(LampMessageError) {
                if let bytes = message.oversizeBytes { throw LampMessageError.tooLong(bytes) }
                let report = try seats[index].pair.dialect.report(on: message.topic, message.payload)
                perform(seats[index].link.lampSaid(report, on: message.topic, at: now), for: index)
            } catch {
                onGarbage()
                complain(error, on: message.topic, of: index)
            }
        }
        planWake()
    }

    private func complain(_ complaint: LampMessageError, on topic: String, of index: Int) {
        guard complaints.count < Self.mostComplaints,
            complaints.insert("\(index) \(topic) \(complaint.cause)").inserted
        else { return }
        logger.warning(
            "message of a lamp ignored",
            metadata: ["thing": "\(seats[index].label)", "topic": "\(topic)", "why": "\(complaint)"]
        )
    }

    /// The broker can be reached, or cannot any more.
    package func brokerChanged(isUp: Bool) {
        for index in seats.indices {
            perform(seats[index].link.brokerChanged(isUp: isUp, at: now), for: index)
        }
        planWake()
    }

    // MARK: The things

    /// Follows what a turn has changed.
    package func observe(_ snapshot: StateSnapshot) {
        let changes = snapshot.changes
        var seen: Set<FlareID> = changes.contains(.environment) ? Set(seatsByThing.keys) : []
        for case .object(let object) in changes where seatsByThing[object.id] != nil {
            seen.insert(object.id)
        }
        for id in seen {
            if let index = seatsByThing[id] { see(id, in: snapshot.state, for: index) }
        }
        if haveNamesChanged(changes, in: snapshot.state) { findThings(in: snapshot.state) }
        tellFaults()
        planWake()
    }

    private func warn(_ index: Int, _ text: String) {
        guard complaints.count < Self.mostComplaints, complaints.insert("\(index) \(text)").inserted else {
            return
        }
        logger.warning("\(text)", metadata: ["thing": "\(seats[index].label)"])
    }

    func see(_ thing: FlareID, in state: ControllerState, for index: Int) {
        let isHere = state.things[thing] != nil
        let linked = state.things[thing].flatMap {
            LinkedThing($0, goal: state.goals[thing], seconds: state.goalSeconds[thing])
        }
        seats[index].fault =
            isHere && linked == nil
            ? "cannot be switched: its data has none of on, brightness, color, colorTemperature" : nil
        perform(seats[index].link.thingSeen(linked, at: now), for: index)
        guard linked == nil, let id = seats[index].id else { return }
        if !isHere {
            seats[index].id = nil
            seatsByThing[id] = nil
        }
        send(.lampChanged(id, nil))
        setSilent(false, index)
    }

    /// Learns what became of something that was asked of a thing.
    ///
    /// The turn that brought the answer has been observed by then.
    package func receive(_ answer: Answer) {
        guard let index = asked.removeValue(forKey: answer.ticket) else { return }
        perform(seats[index].link.answered(answer.refusal, at: now), for: index)
        planWake()
    }

    // MARK: What is to be done

    private var now: Int64 { clock().steadyMilliseconds }

    private func perform(_ actions: [LampLink.Action], for index: Int) {
        deadlines[index] = seats[index].link.nextDue(after: now)
        for action in actions {
            switch action {
            case .publish(let messages):
                for message in messages {
                    // What cannot be said now is said anew when the broker is back, if it is still meant then.
                    client.publish(MQTTMessage(topic: message.topic, payload: Array(message.payload.utf8)))
                }
            case .set(let request):
                guard let id = seats[index].id else { continue }
                asked[nextTicket] = index
                let order = Command.Order.set(.thing("\(id)"), request)
                send(.commandReceived(Command(ticket: nextTicket, order: order, speaker: .lamp)))
                nextTicket += 1
            case .report(let condition):
                guard let id = seats[index].id else { continue }
                send(
                    .lampChanged(
                        id,
                        LampCondition(
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
        guard seats[index].isSilent != isSilent else { return }
        seats[index].isSilent = isSilent
        if isSilent {
            logger.warning("a lamp does not answer", metadata: ["thing": "\(seats[index].label)"])
        }
        let silent = seats.filter(\.isSilent).map { seat in
            "\(seat.label) (\(seat.pair.dialect.commandTopics.first ?? ""))"
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
        // A task of its own: what is due sooner must not wait for what was planned before it.
        Task {
            try? await Task.sleep(for: .milliseconds(rest))
            timePassed(until: due)
        }
    }

    private func timePassed(until due: Int64) {
        if plannedWake == due { plannedWake = nil }
        let now = now
        for index in deadlines.removeDue(at: now) {
            perform(seats[index].link.timePassed(at: now), for: index)
        }
        planWake()
    }
}

extension LampMessageError {
    fileprivate static func tooLong(_ bytes: Int) -> LampMessageError {
        LampMessageError(cause: "the message is too long", value: "\(bytes) bytes")
    }
}
