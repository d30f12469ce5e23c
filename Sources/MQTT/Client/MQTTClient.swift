package import Logging
import Threading

/// A link to a broker that is kept up for ever.
///
/// One `MQTTClient` is one client of the broker. Messages, links and acknowledgements arrive on the thread of the
/// connection and leave it at once through streams.
package final class MQTTClient: Sendable {
    /// Every connect and disconnect, for one reader; ends when the client does.
    package let links: AsyncStream<MQTTLinkEvent>

    let configuration: MQTTConfiguration
    let reading: MQTTReading
    let logger: Logger
    let linkEvents: AsyncStream<MQTTLinkEvent>.Continuation
    let state: Locked<State>

    struct State {
        enum Phase { case idle, running, stopping, ended }

        /// A connection that the broker has accepted.
        struct Link {
            let connection: Connection
            let maximumQoS: MQTTQoS
            let hasSubscriptionIdentifiers: Bool
        }

        var phase = Phase.idle
        var outbox: MQTTOutbox
        var subscriptions = Subscriptions()
        var counters = MQTTCounters()
        var connection: Connection?
        /// From the acceptance by the broker to the end of the connection.
        var link: Link?
        /// The subscriptions are answered too.
        var isUp = false
        var connections: UInt64 = 0
        /// Why the broker refused what was published, by topic, until somebody asks.
        var refusals: [String: String] = [:]
        var stopSignal: AsyncStream<Never>.Continuation?
        var waitingForEnd: [AsyncStream<Never>.Continuation] = []
    }

    /// - Parameter reading: Called on the connection's thread around each reading, for whoever wants to do something
    ///   there as soon as what has come was handed over. It must call what it is given, once, and not take long.
    package init(
        _ configuration: MQTTConfiguration,
        logger: Logger,
        reading: @escaping MQTTReading = { $0() }
    ) {
        self.configuration = configuration
        self.reading = reading
        self.logger = logger
        (links, linkEvents) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        state = Locked(State(outbox: MQTTOutbox(limit: configuration.maximumQueued)))
    }

    /// Connects, and connects again whenever the link is lost, until ``stop(last:)`` or the cancellation of the task.
    ///
    /// It never fails: a lost link, a refusal or a bad certificate is an event in ``links``, a line in the log and
    /// another attempt. Cancelling ends the connection without a goodbye, so that the broker publishes the will.
    /// Once only: a client that has ended stays so.
    package func run() async {
        let (stopSignal, continuation) = AsyncStream<Never>.makeStream()
        let mayRun = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .running
            state.stopSignal = continuation
            return true
        }
        guard mayRun else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepConnected() }
            group.addTask { for await _ in stopSignal {} }
            await group.next()
            group.cancelAll()
        }
        end()
    }

    /// Messages of these filters, in the order in which they arrive; subscribed anew at every connect.
    ///
    /// Before or while running, from any task. Every subscription hears each message of its filters, whatever others
    /// read. On a 3.1.1 link a broker may send a message twice where filters of one client overlap, and on either
    /// where filters of one subscription do. The filters are unsubscribed when the stream is let go.
    ///
    /// - Parameter filters: One that MQTT does not allow is left out, with an error in the log.
    package func subscribe(_ filters: [String], qos: MQTTQoS) -> AsyncStream<MQTTMessage> {
        let (stream, reader) = AsyncStream.makeStream(
            of: MQTTMessage.self,
            bufferingPolicy: .bufferingOldest(max(configuration.maximumUnread, 1))
        )
        let legal = filters.filter { filter in
            if TopicRules.isFilter(filter) { return true }
            logger.error("\"\(filter)\" is not an MQTT topic filter")
            return false
        }
        let added = state.withLock {
            state -> (Subscriptions.ReaderID, [Subscriptions.Request], State.Link?)? in
            guard state.phase != .ended else { return nil }
            let (id, requests) = state.subscriptions.add(legal, qos: qos, reader: reader)
            return (id, requests, state.link)
        }
        guard let (id, requests, link) = added else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in self?.unsubscribe(id) }
        if let link {
            for request in requests {
                _ = link.connection.subscribe(request, identified: link.hasSubscriptionIdentifiers)
            }
        }
        return stream
    }

    /// Sends a message, or keeps it until there is a link.
    ///
    /// Never waits. Messages of one task are sent in its order; those of QoS 0 may overtake those of 1 and 2. What was
    /// accepted with QoS 1 or 2 is sent again on every link until it is acknowledged (so that QoS 2 may arrive twice
    /// when the link is lost in the middle), and is kept in memory only.
    @discardableResult
    package func publish(_ message: MQTTMessage) -> MQTTPublishOutcome { hand(message, waiter: nil) }

    /// Sends a message and waits until it is acknowledged (QoS 1 and 2) or written (QoS 0).
    ///
    /// - Throws: `timedOut` also when the task is cancelled.
    package func publishAndWait(_ message: MQTTMessage, timeout: Duration = .seconds(10))
        async throws(MQTTPublishError)
    {
        let (answers, waiter) = AsyncStream<MQTTPublishError?>.makeStream()
        switch hand(message, waiter: waiter) {
        case .queued: break
        case .dropped: throw .notConnected
        case .refused(let error): throw error
        }
        let error: MQTTPublishError? = await withTaskGroup(of: MQTTPublishError?.self) { group in
            group.addTask {
                for await answer in answers { return answer }
                return .timedOut(timeout)
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .timedOut(timeout)
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let error { throw error }
    }

    /// Ends the client in good order: `last` is acknowledged, the broker is told goodbye (and so forgets the will).
    ///
    /// Takes at most about three seconds, whatever the broker does, and returns when ``run()`` has. What was not
    /// acknowledged until then is given up.
    package func stop(last: MQTTMessage? = nil) async {
        // A task of its own: a caller that is cancelled wants the goodbye all the same.
        await Task { await self.sayGoodbye(last) }.value
    }

    private func sayGoodbye(_ last: MQTTMessage?) async {
        let (ended, continuation) = AsyncStream<Never>.makeStream()
        let link = state.withLock { state -> State.Link? in
            guard state.phase == .running || state.phase == .stopping else {
                state.phase = .ended
                continuation.finish()
                return nil
            }
            state.phase = .stopping
            state.waitingForEnd.append(continuation)
            return state.link
        }
        if let link {
            if let last { try? await publishAndWait(last, timeout: .seconds(2)) }
            link.connection.close()
        } else {
            state.withLock { $0.stopSignal }?.finish()
        }
        for await _ in ended {}
        if link == nil { end() }
    }

    /// The topics on which the broker has refused a publication since the last call, each with its reason.
    package func takeRefusals() -> [String: String] {
        state.withLock { state in
            defer { state.refusals = [:] }
            return state.refusals
        }
    }

    package var counters: MQTTCounters {
        state.withLock { state in
            var counters = state.counters
            counters.queued = state.outbox.count
            return counters
        }
    }

    private func unsubscribe(_ id: Subscriptions.ReaderID) {
        let (unread, link) = state.withLock { ($0.subscriptions.remove(id), $0.link) }
        guard let link else { return }
        for filter in unread { link.connection.unsubscribe(filter) }
    }

    /// Everything that waits for this client is let go.
    private func end() {
        let (given, readers, waiting, old) = state.withLock { state in
            let old = (state.connection, state.link)
            state.phase = .ended
            state.connection = nil
            state.link = nil
            let waiting = state.waitingForEnd
            state.waitingForEnd = []
            return (state.outbox.close(), state.subscriptions.removeAll(), waiting, old)
        }
        _ = old
        for completion in given { completion.tell() }
        for reader in readers { reader.finish() }
        linkEvents.finish()
        for continuation in waiting { continuation.finish() }
    }
}
