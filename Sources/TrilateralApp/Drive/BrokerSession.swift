import Glibc
import JSON
import Logging
import MQTT

/// One short visit to a broker by a command: a link, what comes over it, and a time limit, as one stream.
struct BrokerSession {
    enum Event: Sendable {
        case link(MQTTLinkEvent)
        case message(MQTTMessage)
        /// What was asked for with ``Visit/wake(after:)``.
        case woken
        /// The broker has answered what was sent with ``Visit/awaitAcknowledgement(of:)``.
        case acknowledged
        case deadline
        /// A signal of the process.
        case signal(Int32)
    }

    /// An event, or a message that is still to be counted as read.
    private enum Item: Sendable {
        case event(Event)
        case message(MQTTDelivery)
    }

    /// What the body of a visit works with.
    struct Visit: Sendable {
        let events: AsyncStream<Event>
        fileprivate let client: MQTTClient
        fileprivate let alarms: AsyncStream<Duration>.Continuation
        fileprivate let marks: AsyncStream<String>.Continuation
        fileprivate let read: @Sendable ([String]) -> MQTTSubscription

        func publish(topic: String, payload: [UInt8]) {
            client.publish(MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce))
        }

        /// Publishes all of them and waits until the broker has acknowledged each.
        ///
        /// - Returns: Why some were not.
        func publishAndWait(_ messages: [MQTTMessage], timeout: Duration) async -> [String] {
            await withTaskGroup(of: String?.self) { group in
                for message in messages {
                    group.addTask {
                        do throws(MQTTPublishError) {
                            try await client.publishAndWait(message, timeout: timeout)
                            return nil
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: []) { if let problem = $1 { $0.append(problem) } }
            }
        }

        func wake(after time: Duration) {
            alarms.yield(time)
        }

        /// Sends an empty message after the subscriptions, not retained.
        ///
        /// ``Event/acknowledged`` comes when the broker has answered it, even with a refusal, and so after the messages
        /// that the broker sent before.
        func awaitAcknowledgement(of topic: String) {
            marks.yield(topic)
        }

        /// Subscribes to these filters as well, with QoS 0, until the subscription is cancelled.
        func subscribe(_ filters: [String]) -> MQTTSubscription { read(filters) }
    }

    private let client: MQTTClient
    private let address: String

    init(_ configuration: MQTTConfiguration) {
        address = configuration.address
        // What goes wrong with the link comes as an event, and is told in the words of the command.
        client = MQTTClient(configuration, logger: .silent)
    }

    /// Runs the body with a link that is kept up, and ends the link when the body returns.
    ///
    /// - Parameters:
    ///   - filters: Subscribed at every connect, before ``Event/link(_:)`` tells of it. With QoS 0: so a broker hands
    ///     over as many retained messages as are read at once, and as the system buffers; of more, some drop what is more than
    ///     their queue holds, a thousand for mosquitto. With the other QoS that is all that they hand over.
    ///   - timeout: When ``Event/deadline`` comes; `nil` never.
    ///   - signals: Taken from the system and told as ``Event/signal(_:)``.
    ///   - output: What is written to; when its reader is gone, ``Event/signal(_:)`` comes with SIGPIPE.
    func run<Result: Sendable>(
        filters: [String],
        timeout: Duration?,
        signals: [Int32] = [],
        output: Terminal? = nil,
        body: (Visit) async -> Result
    ) async -> Result {
        let (items, feed) = AsyncStream<Item>.makeStream()
        let (alarms, alarm) = AsyncStream<Duration>.makeStream()
        let (marks, mark) = AsyncStream<String>.makeStream()
        let subscription = client.subscribe(filters, qos: .atMostOnce) { feed.yield(.message($0)) }
        defer { subscription.cancel() }
        let events = AsyncStream<Event>(unfolding: {
            var rest = items.makeAsyncIterator()
            return switch await rest.next() {
            case .message(let delivery): .message(delivery.take())
            case .event(let event): event
            case nil: nil
            }
        })
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { [client] in await client.run() }
            group.addTask { [client] in for await link in client.links { feed.yield(.event(.link(link))) } }
            group.addTask {
                for await time in alarms {
                    do { try await Task.sleep(for: time) } catch { return }
                    feed.yield(.event(.woken))
                }
            }
            group.addTask { [client] in
                for await topic in marks {
                    let message = MQTTMessage(topic: topic, qos: .atLeastOnce)
                    do throws(MQTTPublishError) {
                        try await client.publishAndWait(message, timeout: timeout ?? .seconds(3600))
                    } catch {
                        guard case .refusedByBroker = error else { continue }
                    }
                    feed.yield(.event(.acknowledged))
                }
            }
            let signalStream = SignalStream(signals)
            group.addTask { for await number in signalStream.numbers { feed.yield(.event(.signal(number))) } }
            if let output {
                group.addTask { if await output.readerLeaves() { feed.yield(.event(.signal(SIGPIPE))) } }
            }
            if let timeout {
                group.addTask {
                    do { try await Task.sleep(for: timeout) } catch { return }
                    feed.yield(.event(.deadline))
                }
            }
            let visit = Visit(events: events, client: client, alarms: alarm, marks: mark) {
                [client] filters in
                client.subscribe(filters, qos: .atMostOnce) { feed.yield(.message($0)) }
            }
            let result = await body(visit)
            await client.stop()
            feed.finish()
            group.cancelAll()
            return result
        }
    }

    /// What the broker keeps, by topic below the base: a topic that holds a plain word has it as a text.
    ///
    /// It comes at once after the subscription; nothing says when that was all, so a silence has to.
    ///
    /// - Parameters:
    ///   - base: The first levels of all topics.
    ///   - filters: What is read, below the base; without any it is only tried whether there is a link.
    ///   - isPatient: Whether the broker is tried again when it cannot be reached.
    ///   - output: What is written to.
    ///   - isEnough: What is waited for, at most until the time is over; without it, the silence is enough.
    /// - Returns: `nil` when nobody reads the output any more.
    func retained(
        below base: String = "",
        _ filters: [String],
        within limit: Duration,
        isPatient: Bool = true,
        output: Terminal? = nil,
        until isEnough: ((JSONObject) -> Bool)? = nil
    ) async throws(VerbError) -> JSONObject? {
        let wanted = filters.map { "\(base)/\($0)" }
        let result = await run(filters: wanted, timeout: limit, output: output) {
            visit -> Result<JSONObject?, VerbError> in
            var read: JSONObject = [:]
            var (isLinked, isBusy) = (false, false)
            let silence = "the broker at \(address) did not answer within \(limit.inSeconds)"
            var failure = VerbError(silence, .unavailable)
            for await event in visit.events {
                switch event {
                case .link(.connected):
                    if filters.isEmpty { return .success(read) }
                    isLinked = true
                    visit.wake(after: .milliseconds(400))
                case .link(.disconnected(let error)):
                    isLinked = false
                    failure = VerbError(error)
                    if error.isFinal || !isPatient { return .failure(failure) }
                case .message(let message):
                    isBusy = true
                    let topic = String(message.topic.dropFirst(base.count + 1))
                    read[topic] = message.payload.isEmpty ? nil : JSONValue(retained: message.payload)
                case .woken:
                    if isLinked, isEnough?(read) ?? !isBusy { return .success(read) }
                    isBusy = false
                    visit.wake(after: .milliseconds(200))
                case .deadline: return isLinked ? .success(read) : .failure(failure)
                case .signal: return .success(nil)
                case .link(.refused), .link(.drained), .acknowledged: break
                }
            }
            return .failure(failure)
        }
        return try result.get()
    }
}
