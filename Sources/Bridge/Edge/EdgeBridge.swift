import Bindings
package import Controller
import JSON
package import Logging
package import MQTT
package import Messages
import Text
import Things
package import Threading

/// Hears the things at the edge, answers them, and sends them commands.
///
/// It decides nothing about them: what they report is read, and handed over in order.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package actor EdgeBridge {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A request to be onboarded that waits for its turn.
    private struct Onboarding: Sendable {
        let topic: EdgeTopic
        let request: OnboardingRequest
        let tx: JSONValue?
    }

    /// Another message that waits for its turn.
    private struct Report: Sendable {
        let topic: EdgeTopic
        let message: EdgeMessage
        let bytes: Int
    }

    package struct Counters: Sendable, Hashable {
        /// On topics with names that are no vendorThingID.
        package var ignored = 0
        /// Messages that were refused, here or by who handles them.
        package var refused = 0
        /// Errors that were not answered, because another one was just before.
        package var unanswered = 0
    }

    /// How many messages of things wait for their turn.
    package struct Limits: Sendable {
        /// Each may take a tenth of a second.
        package var onboardings = 1000
        /// Other messages.
        package var reports = 4096
        /// Those of one thing, whose `status` has room beyond that: as many as it may send at once, and some more.
        package var reportsOfThing = 64
        /// Those of all end nodes of a gateway, and as many of their onboardings: one user of the broker sends them all.
        package var reportsOfNodes = 256
        /// Their `status`, which the broker keeps, so that those of all end nodes may come at once.
        package var statusOfNodes = 1024

        package init() {}
    }

    private static let maximumWarnings = 20
    /// A last will counts also if the thing has sent too much before.
    private static let roomForStatus = 16

    private let topics: Topics
    private let link: EdgeLink
    private let ports: EdgePorts
    private let clock: @Sendable () -> Instant
    private let logger: Logger

    private let onboardings: AsyncStream<EdgeAddress>
    private let onboardingPort: AsyncStream<EdgeAddress>.Continuation
    /// Of each thing the newest that waits: one of them costs as much as a hundred other messages.
    private var waitingOnboardings: [EdgeAddress: Onboarding] = [:]
    private var onboardingCounts = WaitingCounts()
    private let reports: AsyncStream<Report>
    private let reportPort: AsyncStream<Report>.Continuation
    /// Those that wait, or are being handled.
    private var reportCounts = WaitingCounts()
    private let limits: Limits
    private var refusedBytes = RefusedBytes()
    private var errors = EdgeErrors()
    private var counts = Counters()
    private var warnings: Set<String> = []

    package init(
        on loop: LoopExecutor,
        _ topics: Topics,
        link: EdgeLink,
        logger: Logger,
        clock: @escaping @Sendable () -> Instant,
        limits: Limits = Limits(),
        _ ports: EdgePorts
    ) {
        (self.loop, self.topics, self.link, self.ports) = (loop, topics, link, ports)
        (self.clock, self.logger) = (clock, logger)
        self.limits = limits
        // The newest ones are refused when too many wait, so that the order stays.
        (onboardings, onboardingPort) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(limits.onboardings)
        )
        (reports, reportPort) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(limits.reports)
        )
    }

    package var counters: Counters {
        var counters = counts
        counters.unanswered = errors.unanswered
        return counters
    }

    /// Receives what things report until the subscription is cancelled.
    package nonisolated func subscribe(to client: MQTTClient) -> MQTTSubscription {
        // What is published with the retain flag while we listen is what the broker had kept when we listen again.
        client.subscribe(
            topics.edgeReports,
            qos: .atLeastOnce,
            retainAsPublished: true,
            on: loop
        ) { message in
            self.onExecutor { $0.receive(message) }
        }
    }

    /// Hands over what was received, until the task is cancelled; may be called once.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.handOverOnboardings() }
            group.addTask { await self.handOverReports() }
        }
    }

    // MARK: What things report

    /// Reads a message; what is wrong with it is answered.
    package func receive(_ message: MQTTMessage) {
        guard let topic = topics.edgeTopic(message.topic) else {
            counts.ignored &+= 1
            warn("a name in the topic \(QuotedValue.of(message.topic)) must be \(VendorName.thingRule)")
            return
        }
        let (speaker, now) = (topic.thing.speaker, clock().steadyMilliseconds)
        // A last will counts also if the thing has sent too much before.
        guard topic.part == .status || !refusedBytes.isSpent(speaker, at: now) else {
            return refuse(Self.tooMuchRefused, on: topic)
        }
        // What must not be kept is read all the same, so that it is removed from the broker. Nothing comes of an empty
        // message, except of a status.
        if !message.payload.isEmpty || topic.part == .status,
            !message.isRetained || !topic.part.isNeverKept,
            let error = unreadError(on: topic)
        {
            return refuse(error, on: topic)
        }
        let decoded =
            message.oversizeBytes.map { DecodedEdgeMessage(oversize: $0, on: topic) }
            ?? DecodedEdgeMessage(
                message.payload,
                on: topic,
                isRetained: message.isRetained,
                at: clock().wallMilliseconds
            )
        let bytes = message.payload.count
        switch decoded.result {
        case .failure(let refusal):
            refusedBytes.charge(bytes, speaker, at: now)
            refuse(.refused(refusal), on: topic, tx: decoded.tx)
            if message.isRetained, topic.part.isNeverKept { clear(topic) }
        case .success(.cleared) where topic.part != .status:
            // A retained message was removed, as somebody should.
            break
        case .success(.onboard(let request)):
            refusedBytes.charge(bytes, speaker, at: now)
            let waiting = Onboarding(topic: topic, request: request, tx: decoded.tx)
            if let error = ports.refusal(topic) ?? queue(waiting) {
                return refuse(error, on: topic, tx: decoded.tx)
            }
        case .success(let message):
            if let error = tooManyError(on: topic) { return refuse(error, on: topic) }
            if case .dropped = reportPort.yield(Report(topic: topic, message: message, bytes: bytes)) {
                return refuse(Self.tooMany, on: topic)
            }
            reportCounts.add(topic)
        }
    }

    /// Lets an onboarding wait for its turn, or says why it may not.
    private func queue(_ waiting: Onboarding) -> BindingsError? {
        let topic = waiting.topic
        if waitingOnboardings[topic.thing] == nil {
            guard onboardingCounts.ofNodes(topic) < limits.reportsOfNodes else { return Self.tooManyOfNodes }
            if case .dropped = onboardingPort.yield(topic.thing) { return Self.tooMany }
            onboardingCounts.add(topic)
        }
        waitingOnboardings[topic.thing] = waiting
        return nil
    }

    /// Why a message of a topic is refused before it is read, so that a thing that sends too much costs little.
    private func unreadError(on topic: EdgeTopic) -> BindingsError? {
        // Of an onboarding the answer has what it was marked with.
        topic.part == .onboard ? nil : tooManyError(on: topic) ?? ports.refusal(topic)
    }

    /// Why no further message of a topic may wait: no user of the broker shuts others out, also not by the names of end nodes.
    private func tooManyError(on topic: EdgeTopic) -> BindingsError? {
        let isStatus = topic.part == .status
        let ofThing = limits.reportsOfThing + (isStatus ? Self.roomForStatus : 0)
        if reportCounts.ofThing(topic) >= ofThing { return Self.tooManyOfThing }
        let ofNodes = isStatus ? limits.statusOfNodes : limits.reportsOfNodes
        return reportCounts.ofNodes(topic) >= ofNodes ? Self.tooManyOfNodes : nil
    }

    private static let tooManyOfThing = BindingsError.refused(
        Refusal(.rateLimited, "too many messages of this thing wait; send it again in 5 s")
    )

    private static let tooManyOfNodes = BindingsError.refused(
        Refusal(.rateLimited, "too many messages of end nodes of this gateway wait; send it again in 5 s")
    )

    private static let tooMuchRefused = BindingsError.refused(
        Refusal(.rateLimited, "too much of what this user sends is refused; send it again in 5 s")
    )

    private static let tooMany = BindingsError.refused(
        Refusal(.rateLimited, "too many messages of things wait; send it again in 5 s")
    )

    private func handOverOnboardings() async {
        for await thing in onboardings {
            guard let waiting = waitingOnboardings.removeValue(forKey: thing) else { continue }
            onboardingCounts.remove(waiting.topic)
            switch await ports.onboard(thing, waiting.request) {
            case .success(let answer):
                publish(.onboarded(answer, tx: waiting.tx), to: thing)
            case .failure(let error):
                counts.refused &+= 1
                // Not limited: it is asked for one at a time, and guesses are limited where passwords are checked.
                publish(.notOnboarded(error, tx: waiting.tx), to: thing)
            }
        }
    }

    private func handOverReports() async {
        for await report in reports {
            let error = await handOver(report)
            reportCounts.remove(report.topic)
            guard let error else { continue }
            refusedBytes.charge(report.bytes, report.topic.thing.speaker, at: clock().steadyMilliseconds)
            refuse(error, on: report.topic)
        }
    }

    private func handOver(_ report: Report) async -> BindingsError? {
        let thing = report.topic.thing
        switch report.message {
        case .state(let upload, let isRetained): return await ports.state(thing, upload, isRetained)
        case .result(let result): return await ports.result(thing, result)
        case .status(let status): return await ports.status(thing, status)
        case .nodes(let nodes): return await ports.nodes(thing, nodes)
        case .cleared: return await ports.status(thing, nil)
        case .onboard: return nil
        }
    }

    // MARK: What things are told

    /// Answers an error, unless the thing had one just before.
    private func refuse(_ error: BindingsError, on topic: EdgeTopic, tx: JSONValue? = nil) {
        counts.refused &+= 1
        guard errors.take(topic.thing, at: clock().steadyMilliseconds) else { return }
        // A message that the broker had kept is no request that waits for an answer.
        let isAnswer = topic.part == .onboard && error.code != RefusalCode.retainedCommand.rawValue
        publish(
            isAnswer ? .notOnboarded(error, tx: tx) : .error(error, topic: topics.edge(topic)),
            to: topic.thing
        )
    }

    /// Removes a message from the broker: a thing can seldom do it, and an `onboard` has a password.
    private func clear(_ topic: EdgeTopic) {
        _ = link.publish(
            MQTTMessage(topic: topics.edge(topic), payload: [], qos: .atLeastOnce, isRetained: true)
        )
    }

    private func publish(_ answer: EdgeAnswer, to thing: EdgeAddress) {
        _ = link.publish(
            MQTTMessage(
                topic: topics.edge(thing, answer.topic),
                payload: answer.bytes(at: clock()),
                qos: .atLeastOnce
            )
        )
    }

    /// Sends a command, or queues it until there is a link; commands arrive in the order of these calls.
    ///
    /// - Parameter delivered: Called on the loop when the broker has it, or with why it has not until the deadline. It may
    ///   still arrive after that; the thing ignores it then.
    package func send(
        _ command: EdgeCommand,
        to thing: EdgeAddress,
        _ delivered: @escaping @Sendable (Result<Void, MQTTPublishError>) -> Void
    ) {
        let now = clock()
        let receipt = link.publish(
            MQTTMessage(
                topic: topics.edge(thing, .command),
                payload: command.bytes(at: now),
                qos: .atLeastOnce
            )
        )
        let (rest, isOver) = command.deadline.subtractingReportingOverflow(now.wallMilliseconds)
        let limit = isOver ? 0 : min(max(rest, 0), Self.longestWait)
        // It ends at the deadline, and nobody waits for it.
        Task {
            do throws(MQTTPublishError) {
                try await receipt.wait(.milliseconds(limit))
                delivered(.success(()))
            } catch {
                delivered(.failure(error))
            }
        }
    }

    /// Milliseconds; deadlines are minutes away at most.
    private static let longestWait: Int64 = 86_400_000

    private func warn(_ text: String) {
        guard warnings.count < Self.maximumWarnings, warnings.insert(text).inserted else { return }
        logger.warning("message of a thing ignored", metadata: ["why": "\(text)"])
    }
}
