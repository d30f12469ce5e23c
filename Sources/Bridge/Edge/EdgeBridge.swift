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
        let thing: EdgeAddress
        let request: OnboardingRequest
        let tx: JSONValue?
    }

    /// Another message that waits for its turn.
    private struct Report: Sendable {
        let topic: EdgeTopic
        let message: EdgeMessage
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
    private let reports: AsyncStream<Report>
    private let reportPort: AsyncStream<Report>.Continuation
    /// How many of each thing wait, or are being handled.
    private var waitingReports: [EdgeAddress: Int] = [:]
    private let reportsOfThing: Int
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
        reportsOfThing = limits.reportsOfThing
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
        client.subscribe(topics.edgeReports, qos: .atLeastOnce, on: loop) { message in
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
        if hasTooMany(topic), !message.isRetained, !message.payload.isEmpty {
            return refuse(Self.tooManyOfThing, on: topic)
        }
        let decoded =
            message.oversizeBytes.map { DecodedEdgeMessage(oversize: $0, on: topic) }
            ?? DecodedEdgeMessage(
                message.payload,
                on: topic,
                isRetained: message.isRetained,
                at: clock().wallMilliseconds
            )
        switch decoded.result {
        case .failure(let refusal):
            refuse(.refused(refusal), on: topic, tx: decoded.tx)
            if message.isRetained, topic.part.isNeverKept { clear(topic) }
        case .success(.cleared) where topic.part != .status:
            // A retained message was removed, as somebody should.
            break
        case .success(.onboard(let request)):
            let waiting = Onboarding(thing: topic.thing, request: request, tx: decoded.tx)
            let isNewer = waitingOnboardings[topic.thing] != nil
            if !isNewer, case .dropped = onboardingPort.yield(topic.thing) {
                return refuse(Self.tooMany, on: topic, tx: decoded.tx)
            }
            waitingOnboardings[topic.thing] = waiting
        case .success(let message):
            guard !hasTooMany(topic) else { return refuse(Self.tooManyOfThing, on: topic) }
            if case .dropped = reportPort.yield(Report(topic: topic, message: message)) {
                return refuse(Self.tooMany, on: topic)
            }
            waitingReports[topic.thing, default: 0] += 1
        }
    }

    /// Whether no further message of a topic may wait, so that one thing shuts no other out.
    private func hasTooMany(_ topic: EdgeTopic) -> Bool {
        let count = waitingReports[topic.thing] ?? 0
        switch topic.part {
        case .onboard: return false
        case .status: return count >= reportsOfThing + Self.roomForStatus
        case .state, .result, .nodes: return count >= reportsOfThing
        }
    }

    private static let tooManyOfThing = BindingsError.refused(
        Refusal(.rateLimited, "too many messages of this thing wait; send it again in 5 s")
    )

    private static let tooMany = BindingsError.refused(
        Refusal(.rateLimited, "too many messages of things wait; send it again in 5 s")
    )

    private func handOverOnboardings() async {
        for await thing in onboardings {
            guard let waiting = waitingOnboardings.removeValue(forKey: thing) else { continue }
            switch await ports.onboard(waiting.thing, waiting.request) {
            case .success(let answer):
                publish(.onboarded(answer, tx: waiting.tx), to: waiting.thing)
            case .failure(let error):
                counts.refused &+= 1
                // Not limited: it is asked for one at a time, and guesses are limited where passwords are checked.
                publish(.notOnboarded(error, tx: waiting.tx), to: waiting.thing)
            }
        }
    }

    private func handOverReports() async {
        for await report in reports {
            let error = await handOver(report)
            let left = (waitingReports[report.topic.thing] ?? 0) - 1
            waitingReports[report.topic.thing] = left > 0 ? left : nil
            if let error { refuse(error, on: report.topic) }
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
