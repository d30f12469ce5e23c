package import Controller
package import Flare
package import Lamps
package import Logging
package import MQTT
package import Things

/// Real lamps on the broker, each tied to a thing: hears both sides, and does what the rules of their links say.
package actor LampService {
    /// A thing, by short name, name or identifier, and how its lamp is spoken to.
    package struct Pair: Sendable {
        let thing: String
        let dialect: any LampDialect

        package init(thing: String, dialect: any LampDialect) {
            self.thing = thing
            self.dialect = dialect
        }
    }

    /// What became of something that was asked of a thing, and how the thing was then.
    package struct Answer: Sendable {
        let ticket: Int
        let refusal: Refusal?
        let sight: Sight?

        package init(ticket: Int, refusal: Refusal?, sight: Sight?) {
            self.ticket = ticket
            self.refusal = refusal
            self.sight = sight
        }
    }

    /// A thing as the controller has it, after so many events.
    package struct Sight: Sendable {
        let thing: FlareThing
        let goal: [String: JSONValue]?
        let seconds: Double?
        let sequence: Int

        /// - Returns: `nil` for a thing that is not here.
        package init?(_ id: FlareID, in state: ControllerState) {
            guard let thing = state.things[id] else { return nil }
            self.thing = thing
            goal = state.goals[id]
            seconds = state.goalSeconds[id]
            sequence = state.sequence
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
    /// The newest that was seen; what is older is not looked at.
    private var sequence = 0
    private var overlooked: Set<StateChange> = []
    /// What the things were called when links without one were looked at last.
    var names: [FlareID: String] = [:]
    var namedEnvironment: FlareID?
    var toldFaults: [String] = []
    private var complaints: Set<String> = []
    private let brokerLinks: AsyncStream<Bool>
    private let brokerLink: AsyncStream<Bool>.Continuation
    private let wakes: AsyncStream<Int64>
    private let wake: AsyncStream<Int64>.Continuation
    private var plannedWake: Int64?

    private static let mostComplaints = 200

    /// - Parameter onGarbage: Called for every message of a lamp that was not understood.
    package init(
        _ pairs: [Pair],
        client: MQTTClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Instant,
        onGarbage: @escaping @Sendable () -> Void = {},
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
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
        (brokerLinks, brokerLink) = AsyncStream.makeStream()
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// What of the state matters to links.
    package static func isInterested(in facet: StateChange) -> Bool {
        switch facet {
        case .environment: true
        case .object(let object): object.kind == .thing
        default: false
        }
    }

    /// The broker can be reached, or cannot any more.
    package nonisolated func brokerChanged(isUp: Bool) { brokerLink.yield(isUp) }

    /// Runs until the answers end or the task is cancelled.
    package func run(snapshots: AsyncStream<StateSnapshot>, answers: AsyncStream<Answer>) async {
        let messages = client.subscribe(seatsByTopic.keys.sorted(), qos: .atLeastOnce)
        await withDiscardingTaskGroup { group in
            group.addTask { for await message in messages { await self.take(message) } }
            group.addTask { for await snapshot in snapshots { await self.take(snapshot) } }
            group.addTask { for await isUp in self.brokerLinks { await self.take(brokerIsUp: isUp) } }
            group.addTask { await self.wakeWhenDue() }
            for await answer in answers { take(answer) }
            group.cancelAll()
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

    private func take(brokerIsUp isUp: Bool) {
        for index in seats.indices {
            perform(seats[index].link.brokerChanged(isUp: isUp, at: now), for: index)
        }
        planWake()
    }

    // MARK: The things

    private func take(_ snapshot: StateSnapshot) {
        // An answer may have told something newer; it is in one of the snapshots that follow.
        guard snapshot.state.sequence >= sequence else {
            overlooked.formUnion(snapshot.changes)
            return
        }
        sequence = snapshot.state.sequence
        let changes = overlooked.isEmpty ? snapshot.changes : overlooked.union(snapshot.changes)
        overlooked = []
        var seen: Set<FlareID> = changes.contains(.environment) ? Set(seatsByThing.keys) : []
        for case .object(let object) in changes where seatsByThing[object.id] != nil {
            seen.insert(object.id)
        }
        for id in seen {
            if let index = seatsByThing[id] { see(Sight(id, in: snapshot.state), for: index) }
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

    func see(_ sight: Sight?, for index: Int) {
        let linked = sight.flatMap { LinkedThing($0.thing, goal: $0.goal, seconds: $0.seconds) }
        seats[index].fault =
            sight != nil && linked == nil
            ? "cannot be switched: its data has none of on, brightness, color, colorTemperature" : nil
        perform(seats[index].link.thingSeen(linked, at: now), for: index)
        guard linked == nil, let id = seats[index].id else { return }
        if sight == nil {
            seats[index].id = nil
            seatsByThing[id] = nil
        }
        send(.lampChanged(id, nil))
        setSilent(false, index)
    }

    private func take(_ answer: Answer) {
        guard let index = asked.removeValue(forKey: answer.ticket) else { return }
        if let sight = answer.sight, sight.thing.id == seats[index].id, sight.sequence >= sequence {
            sequence = sight.sequence
            see(sight, for: index)
        }
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
                send(.commandReceived(Command(ticket: nextTicket, order: order, actor: .link)))
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
        wake.yield(due)
    }

    private func wakeWhenDue() async {
        // A task each: what is due sooner must not wait for what was planned before it.
        await withDiscardingTaskGroup { group in
            for await due in wakes { group.addTask { await self.pass(until: due) } }
            group.cancelAll()
        }
    }

    private func pass(until due: Int64) async {
        let rest = due - now
        if rest > 0, (try? await Task.sleep(for: .milliseconds(rest))) == nil { return }
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
