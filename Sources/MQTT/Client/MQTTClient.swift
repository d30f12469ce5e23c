package import Logging
package import Threading

/// A connection to a broker that is re-established whenever it is lost.
///
/// Each `MQTTClient` is one client of the broker. Messages, link events and acknowledgements arrive on the
/// connection's thread and are passed on through streams.
package final class MQTTClient: Sendable {
    /// Every connect and disconnect, for a single reader; finishes when the client ends.
    ///
    /// Empty after ``handleLinkEvents(on:_:)``.
    package let links: AsyncStream<MQTTLinkEvent>

    let aroundRead: MQTTReadHook
    let backlog: ReceiveBacklog
    let logger: Logger
    let linkEvents: AsyncStream<MQTTLinkEvent>.Continuation
    let state: Locked<State>

    struct State {
        enum Phase { case idle, running, stopping, ended }

        /// A connection accepted by the broker.
        struct Link {
            let connection: Connection
            let hasSubscriptionIdentifiers: Bool
        }

        var phase = Phase.idle
        var configuration: MQTTConfiguration
        /// Whether the present link ends for another configuration.
        var isReconnecting = false
        var outbox: MQTTOutbox
        var subscriptions = Subscriptions()
        var counters = MQTTCounters()
        var connection: Connection?
        /// From the broker's acceptance to the end of the connection.
        var link: Link?
        /// Whether the subscriptions have been answered.
        var isUp = false
        var connections: UInt64 = 0
        /// The broker's refusals of publications by topic, until they are read.
        var refusals: [String: String] = [:]
        var stopSignal: AsyncStream<Never>.Continuation?
        var waitingForEnd: [AsyncStream<Never>.Continuation] = []
        /// Receives link events instead of the stream.
        var linkHandler: (@Sendable (MQTTLinkEvent) -> Void)?
        /// What brings messages and link events to an executor, in their order.
        var lanes: [ObjectIdentifier: LoopLane] = [:]
        /// Publications of this executor are written when it rests.
        var loop: LoopExecutor?
        var isFlushPlanned = false
    }

    /// - Parameter aroundRead: Called on the connection's thread around each read, to do work there right after
    ///   the messages were delivered. It must call its argument exactly once and return quickly.
    package init(
        _ configuration: MQTTConfiguration,
        logger: Logger,
        aroundRead: @escaping MQTTReadHook = { $0() }
    ) {
        self.aroundRead = aroundRead
        backlog = ReceiveBacklog(limit: configuration.maximumUnreadBytes)
        self.logger = logger
        (links, linkEvents) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        state = Locked(
            State(
                configuration: configuration,
                outbox: MQTTOutbox(limit: configuration.maximumQueued)
            )
        )
    }

    /// Connects, and reconnects whenever the link is lost, until ``stop(last:)`` or cancellation.
    ///
    /// It never fails: a lost link, a refusal or an invalid certificate is an event in ``links``, a log line,
    /// and another attempt. Cancellation closes the connection without DISCONNECT, so that the broker
    /// publishes the will. It can be called only once: a client that has ended cannot be restarted.
    package func run() async {
        let mayRun = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .running
            return true
        }
        guard mayRun else { return }
        while await runWithConfiguration() {}
        end()
    }

    /// Runs until there is another configuration, or until the end.
    ///
    /// - Returns: Whether to go on.
    private func runWithConfiguration() async -> Bool {
        let (stopSignal, continuation) = AsyncStream<Never>.makeStream()
        let configuration = state.withLock { state -> MQTTConfiguration? in
            guard state.phase == .running else { return nil }
            (state.stopSignal, state.isReconnecting) = (continuation, false)
            return state.configuration
        }
        guard let configuration, !Task.isCancelled else { return false }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepConnected(configuration) }
            group.addTask { for await _ in stopSignal {} }
            await group.next()
            group.cancelAll()
        }
        return true
    }

    /// Ends the link, if there is one, and connects with another configuration; subscriptions and publications stay.
    ///
    /// - Parameter last: Sent before the link ends.
    package func reconnect(_ configuration: MQTTConfiguration, last: MQTTMessage?) async {
        if let last, state.withLock({ $0.link }) != nil {
            try? await publishAndWait(last, timeout: .seconds(2))
        }
        let (link, signal) = state.withLock { state -> (State.Link?, AsyncStream<Never>.Continuation?) in
            state.configuration = configuration
            state.outbox.limit = configuration.maximumQueued
            guard state.phase == .running else { return (nil, nil) }
            state.isReconnecting = true
            return (state.link, state.stopSignal)
        }
        // Without a link an attempt, or the pause before it, ends.
        if let link { link.connection.close() } else { signal?.finish() }
    }

    /// Messages that match the filters, in order of arrival; subscribed again at every connect.
    ///
    /// May be called before or while running, from any task. Every subscription receives each matching
    /// message, independently of others. On a 3.1.1 link a broker may deliver a message twice when filters of
    /// one client overlap; on any link when filters of one subscription overlap. The filters are unsubscribed
    /// when the stream is released.
    ///
    /// What is not read waits in memory up to ``MQTTConfiguration/maximumUnreadBytes``; then nothing more is received,
    /// for any subscription.
    ///
    /// - Parameter filters: Invalid filters are omitted, with an error in the log.
    package func subscribe(_ filters: [String], qos: MQTTQoS) -> AsyncStream<MQTTMessage> {
        let (deliveries, port) = AsyncStream.makeStream(of: MQTTDelivery.self)
        let subscription = subscribe(filters, qos: qos, finish: { port.finish() }) { port.yield($0) }
        port.onTermination = { _ in subscription.cancel() }
        return AsyncStream(unfolding: {
            var rest = deliveries.makeAsyncIterator()
            return await rest.next()?.take()
        })
    }

    /// Calls a handler on an executor with the messages of these filters.
    ///
    /// Others on the executor have their turns between messages, however many wait. Handlers of one executor, and that of ``handleLinkEvents(on:_:)``, are called in the order in which messages
    /// and events arrived. Otherwise as ``subscribe(_:qos:)``.
    ///
    /// - Parameter retainAsPublished: Whether the retain flag of a message also tells that it was published with the flag
    ///   just now, and not only that the broker had kept it. Needs MQTT 5; it is so for all readers of a filter then.
    package func subscribe(
        _ filters: [String],
        qos: MQTTQoS,
        retainAsPublished: Bool = false,
        on loop: LoopExecutor,
        _ handler: @escaping @Sendable (MQTTMessage) -> Void
    ) -> MQTTSubscription {
        let lane = lane(on: loop)
        return subscribe(filters, qos: qos, retainAsPublished: retainAsPublished) { delivery in
            lane.perform { delivery.handle(handler) }
        }
    }

    /// Passes on the messages of these filters to a reader that queues them among other events; otherwise as
    /// ``subscribe(_:qos:)``.
    ///
    /// - Parameters:
    ///   - retainAsPublished: As for ``subscribe(_:qos:retainAsPublished:on:_:)``.
    ///   - finish: Called when the client ends.
    ///   - receive: Called on the connection's thread; must not wait. What it is given counts as unread until it is
    ///     taken, or the subscription is cancelled.
    package func subscribe(
        _ filters: [String],
        qos: MQTTQoS,
        retainAsPublished: Bool = false,
        finish: @escaping @Sendable () -> Void = {},
        receive: @escaping @Sendable (MQTTDelivery) -> Void
    ) -> MQTTSubscription {
        let unread = UnreadMessages(limit: max(configuration.maximumUnread, 1), of: backlog)
        let reader = Subscriptions.Reader(
            receive: { message in
                guard let delivery = unread.add(message) else { return false }
                receive(delivery)
                return true
            },
            finish: finish
        )
        guard let id = subscribe(filters, qos: qos, retainAsPublished: retainAsPublished, reader) else {
            finish()
            return MQTTSubscription {}
        }
        return MQTTSubscription { [weak self] in
            self?.unsubscribe(id)
            unread.end()
        }
    }

    /// Calls a handler on an executor with every link event; ``links`` then stays empty.
    ///
    /// What is published from that executor is written in one piece when it rests, or at ``flush()``.
    package func handleLinkEvents(
        on loop: LoopExecutor,
        _ handler: @escaping @Sendable (MQTTLinkEvent) -> Void
    ) {
        let lane = lane(on: loop)
        state.withLock { state in
            state.loop = loop
            state.linkHandler = { event in lane.perform { handler(event) } }
        }
    }

    private func lane(on loop: LoopExecutor) -> LoopLane {
        state.withLock { state in
            if let lane = state.lanes[ObjectIdentifier(loop)] { return lane }
            let lane = LoopLane(on: loop)
            state.lanes[ObjectIdentifier(loop)] = lane
            return lane
        }
    }

    /// Passes a link event to the handler, or to the stream.
    func report(_ event: MQTTLinkEvent) {
        if let handler = state.withLock({ $0.linkHandler }) {
            handler(event)
        } else {
            linkEvents.yield(event)
        }
    }

    /// - Returns: The reader's number; `nil` when the client has ended.
    private func subscribe(
        _ filters: [String],
        qos: MQTTQoS,
        retainAsPublished: Bool,
        _ reader: Subscriptions.Reader
    ) -> Subscriptions.ReaderID? {
        let legal = filters.filter { filter in
            if TopicRules.isFilter(filter) { return true }
            logger.error("\"\(filter)\" is not an MQTT topic filter")
            return false
        }
        let added = state.withLock {
            state -> (Subscriptions.ReaderID, [Subscriptions.Request], State.Link?)? in
            guard state.phase != .ended else { return nil }
            let (id, requests) = state.subscriptions.add(
                legal,
                qos: qos,
                retainAsPublished: retainAsPublished,
                reader: reader
            )
            return (id, requests, state.link)
        }
        guard let (id, requests, link) = added else { return nil }
        if let link {
            for request in requests {
                _ = link.connection.subscribe(request, identified: link.hasSubscriptionIdentifiers)
            }
        }
        return id
    }

    /// Sends a message, or queues it until there is a link.
    ///
    /// Never waits. Messages of one task keep their order; those of QoS 0 may overtake those of QoS 1.
    /// Messages accepted with QoS 1 are sent again on every link until they are acknowledged, and are kept in memory
    /// only.
    @discardableResult
    package func publish(_ message: MQTTMessage) -> MQTTPublishOutcome { enqueue(message, waiter: nil) }

    /// Sends a message and waits until it is acknowledged (QoS 1) or written (QoS 0).
    ///
    /// - Throws: `timedOut`, also when the task is cancelled.
    package func publishAndWait(_ message: MQTTMessage, timeout: Duration = .seconds(10))
        async throws(MQTTPublishError)
    {
        try await publishWithReceipt(message).wait(timeout)
    }

    /// Sends a message, or queues it, before it returns; otherwise as ``publishAndWait(_:timeout:)``.
    ///
    /// - Parameter needsReader: Whether it has failed, as `unread`, if the broker says that nobody has subscribed to its topic.
    package func publishWithReceipt(_ message: MQTTMessage, needsReader: Bool = false) -> MQTTReceipt {
        let (results, waiter) = AsyncStream<MQTTPublishError?>.makeStream()
        switch enqueue(message, waiter: MQTTOutbox.Waiter(waiter, needsReader: needsReader)) {
        case .queued: return MQTTReceipt(results)
        case .dropped: return MQTTReceipt(.notConnected)
        case .refused(let error): return MQTTReceipt(error)
        }
    }

    /// Ends the client gracefully: `last` is acknowledged, and DISCONNECT makes the broker discard the will.
    ///
    /// Takes at most about three seconds, and returns after ``run()`` has. Publications that are still
    /// unacknowledged then are dropped.
    package func stop(last: MQTTMessage? = nil) async {
        // In a task of its own, so that a cancelled caller still disconnects gracefully.
        await Task { await self.closeGracefully(last) }.value
    }

    private func closeGracefully(_ last: MQTTMessage?) async {
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

    /// The topics of publications that the broker refused since the last call, with the reasons.
    package func drainRefusals() -> [String: String] {
        state.withLock { state in
            defer { state.refusals = [:] }
            return state.refusals
        }
    }

    /// The message that is sent first on every link.
    package var birth: MQTTMessage? { configuration.birth }

    package var configuration: MQTTConfiguration { state.withLock { $0.configuration } }

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

    /// Releases everything that waits for this client.
    private func end() {
        let (given, readers, waiting, old) = state.withLock { state in
            let old = (state.connection, state.link)
            state.phase = .ended
            state.connection = nil
            state.link = nil
            let waiting = state.waitingForEnd
            state.waitingForEnd = []
            (state.linkHandler, state.loop) = (nil, nil)
            return (state.outbox.close(), state.subscriptions.removeAll(), waiting, old)
        }
        _ = old
        for completion in given { completion.resumeWaiter() }
        for reader in readers { reader.finish() }
        linkEvents.finish()
        for continuation in waiting { continuation.finish() }
    }
}
