package import Controller
import HomeAssistant
package import Logging
package import MQTT
package import Messages
package import People
package import Threading

/// Connects one node to the broker: the state becomes retained topics, events and answers become messages, and messages
/// become commands.
///
/// It runs on the node's loop, which calls it as plain functions; messages and link events arrive there in the order in
/// which the connection received them. The rules are in values that return what to do. The bridge only carries that
/// out.
package actor MQTTBridge {
    nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var configuration: BridgeConfiguration
    let installation: String
    let epoch: String
    let topics: Topics
    let commands: CommandTable
    let client: MQTTClient
    let logger: Logger
    let clock: @Sendable () -> Instant
    /// Counters of other parts, for the health message.
    private let counters: @Sendable () -> [String: Int]
    private let measure: @Sendable () -> HealthMeasurements
    /// Whether other daemons may have the same things.
    let isPlaceShared: @Sendable () -> Bool
    let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void
    let send: @Sendable (ControllerEvent) -> Void

    var publisher: BrokerPublisher
    /// `nil` if nothing waits for the broker's access list.
    var gate: AccessListGate?
    var renderer: StateRenderer
    /// Those of the capabilities.
    var renderers: [any TopicRenderer]
    var report: NodeReport
    var inbox: CommandInbox
    var discovery: DiscoverySession
    var ownership: TopicOwnership
    var refusals = BrokerRefusals()
    var duplicateClient: DuplicateClientDetector
    var copies: CopyDetector

    /// Whether everything was withdrawn: only events and answers are still published.
    var isLeaving = false
    /// Whether nothing of what there is was rendered yet.
    var hasBegunAgain = false
    /// Whether ``close(within:)`` was called.
    var isClosing = false
    /// Receives our own `offline`, after which nothing follows that the broker took before it.
    var closing: AsyncStream<Void>.Continuation?
    /// Whether the next link is to another broker; `nil` unless the client is reconnecting.
    var reopening: Bool?
    /// Ends with the next link.
    var connecting: AsyncStream<Void>.Continuation?
    /// Whether the bridge has stopped: only ``farewell`` is still to be sent.
    var hasEnded = false
    var subscriptions: [Reading: (filters: [String], subscription: MQTTSubscription)] = [:]
    var staleReading: MQTTSubscription?
    private var plannedWake: Int64?
    /// Whether what others announce is looked at soon.
    var isLookPlanned = false
    /// Whether what others announce is read: once somebody shares the place.
    var readsOthers = false

    /// What is read all the time.
    enum Reading { case commands, userCommands, own, copies, copyStatuses, births, otherDevices }

    package init(
        on loop: LoopExecutor,
        configuration: BridgeConfiguration,
        commands: CommandTable,
        identity: BridgeIdentity,
        client: MQTTClient,
        renderers: [any TopicRenderer] = [],
        identify: @escaping Identify,
        logger: Logger,
        clock: @escaping @Sendable () -> Instant,
        seconds: @escaping @Sendable () -> Double,
        counters: @escaping @Sendable () -> [String: Int] = { [:] },
        measure: @escaping @Sendable () -> HealthMeasurements = { HealthMeasurements() },
        isPlaceShared: @escaping @Sendable () -> Bool = { true },
        remember: @escaping @Sendable (ControllerEffect.PersistedRecord) -> Void = { _ in },
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        let topics = Topics(root: configuration.root)
        (self.loop, self.configuration, self.topics) = (loop, configuration, topics)
        self.commands = commands
        (self.client, self.logger, self.clock, self.counters) = (client, logger, clock, counters)
        (self.measure, self.isPlaceShared) = (measure, isPlaceShared)
        (self.remember, self.send, self.renderers) = (remember, send, renderers)
        (epoch, installation) = (identity.epoch, identity.installation)
        publisher = BrokerPublisher(
            latency: PositionLatency(topic: topics.devicePosition, seconds: seconds),
            logger: logger,
            handOver: { client.publish($0) }
        )
        gate = configuration.waitsForAccessList ? AccessListGate(topics) : nil
        renderer = StateRenderer(configuration: configuration)
        report = NodeReport(configuration, identity)
        inbox = CommandInbox(
            root: configuration.root,
            commands: commands,
            hasUserTopics: configuration.hasUserTopics,
            responses: configuration.responses,
            identify: identify
        )
        discovery = DiscoverySession(
            configuration.discoveryConfiguration(installation: identity.installation, topics: topics),
            remembered: identity.announced
        )
        ownership = TopicOwnership(
            topics: topics,
            epoch: identity.epoch,
            formerEpoch: identity.formerEpoch,
            formerRoots: identity.formerRoots
        )
        duplicateClient = DuplicateClientDetector(client.configuration)
        // Further nodes share the state folder of the first one, which looks for copies of it.
        copies = CopyDetector(
            topics: topics,
            installation: configuration.publishesPlace ? identity.installation : ""
        )
        // Before the client runs, so that no connect is missed.
        client.handleLinkEvents(on: loop) { [weak self] event in self?.onExecutor { $0.receive(event) } }
    }

    /// Subscribes to commands; call it before the client runs, so that a link that is up receives them.
    package func subscribe() {
        guard subscriptions.isEmpty, !hasEnded else { return }
        read(.commands, topics.commands(commands)) { $0.receive(command: $1) }
        read(.own, [topics.info, topics.status]) { $0.receive(own: $1) }
        read(.copies, copies.filters) { $0.receive(copy: $1) }
        readWhatIsConfigured()
        publisher.retained.set(report.infoMessage, rank: .info)
        perform(ownership.start())
    }

    func subscribe(
        _ filters: [String],
        qos: MQTTQoS = .atLeastOnce,
        _ handle: @escaping @Sendable (isolated MQTTBridge, MQTTMessage) -> Void
    ) -> MQTTSubscription {
        client.subscribe(filters, qos: qos, on: loop) { message in
            self.onExecutor { handle($0, message) }
        }
    }

    /// Calls back after a delay.
    ///
    /// The body must check again what may have changed meanwhile.
    func after(_ delay: Duration, _ body: @escaping @Sendable (isolated MQTTBridge) -> Void) {
        loop.perform(after: delay) { self.onExecutor { body($0) } }
    }

    /// `<base>/<node>`.
    package nonisolated var root: String { topics.root }

    var now: Int64 { clock().steadyMilliseconds }

    // MARK: What the node is

    /// The present problems, for a health check.
    package var problems: [HealthProblem] { report.problems(isConnected: publisher.isConnected) }

    /// Sets the address at which the Flare server answers.
    package func setFlareURL(_ url: String) {
        configuration.flareURL = url
        report.setFlareURL(url)
        if !isLeaving { publisher.retained.set(report.infoMessage, rank: .info) }
        flush()
        discovery.publisher.setFlareURL(url)
    }

    /// Sets whether another link of the daemon is up; `nil` when it no longer exists.
    package func setLink(_ name: String, isUp: Bool?) {
        guard report.setLink(name, isUp: isUp) else { return }
        setHealth()
        flush()
        discovery.publisher.setLinks(Set(report.links.keys))
    }

    /// The present health, whether or not there is a link to the broker.
    package var health: HealthMessage {
        report.health(figures, isConnected: publisher.isConnected, at: clock())
    }

    private var figures: NodeReport.Figures {
        var figures = NodeReport.Figures()
        figures.broker = client.counters
        figures.droppedMessages = publisher.droppedMessages
        figures.positionLatency = publisher.latency.histogram
        figures.counters = counters()
        figures.measurements = measure()
        return figures
    }

    func setHealth() {
        guard !isLeaving, !isClosing else { return }
        publisher.retained.set(report.healthMessage(figures, at: clock()))
    }

    /// Whether there is a link to the broker.
    package var isConnected: Bool { publisher.isConnected }

    // MARK: The link

    private func receive(_ event: MQTTLinkEvent) {
        switch event {
        case .connected(let session):
            reopen()
            report.brokerProblem = nil
            for limit in session.limits { logger.warning("\(limit)") }
            for event in refusals.connected(session, optional: copies.filters + copies.statuses) {
                send(event)
            }
            watchForDuplicateClients()
            perform(copies.linkUp())
            perform(ownership.linkUp())
            publisher.linkUp()
            if !isLeaving, !isClosing { setOnline() }
            setHealth()
            perform(discovery.linkUp())
            flush()
            connecting?.finish()
            connecting = nil
            send(.brokerLinkChanged(isUp: true))
        case .disconnected(let error):
            report.brokerProblem = "\(error)"
            for event in refusals.disconnected(error) { send(event) }
            let isIdle = client.counters.queued == 0
            for event in duplicateClient.disconnected(error, isIdle: isIdle, at: now) { send(event) }
            if publisher.isConnected { send(.brokerLinkChanged(isUp: false)) }
            perform(inbox.linkDown())
            publisher.linkDown()
            perform(copies.linkDown())
            readCopyStatuses()
            if case .unacknowledged = error { perform(ownership.acknowledgementsLost()) }
            perform(ownership.linkDown(isContested: duplicateClient.isContested))
            discovery.linkDown()
            if let event = discovery.forgetOthers() { send(event) }
            reopen()
        case .refused: handleRefusals()
        case .drained:
            publisher.drained()
            flush()
        }
    }

    private func setOnline() {
        let message = topics.message(isOnline: true)
        publisher.retained.set(message, rank: .status)
        // The client has sent it, ahead of what was not acknowledged over the last link.
        if client.birth == message { publisher.retained.recordSent(message, at: now) }
    }

    // MARK: State

    /// Whether a topic of an earlier run stays: it is published, or soon will be.
    func isExpected(_ topic: String) -> Bool {
        publisher.retained.holds(topic) || discovery.publisher.expects(topic)
            || renderers.contains { $0.isExpected(topic) }
    }

    /// Publishes what a turn has changed.
    package func publish(_ snapshot: StateSnapshot) {
        guard !isLeaving else { return }
        let now = now
        if report.observe(snapshot) { setHealth() }
        publisher.observe(snapshot)
        if publisher.isConnected { perform(discovery.observe(snapshot, at: now)) }
        gate?.observe(snapshot, in: &publisher.retained)
        renderer.model(snapshot, in: &publisher.retained)
        // The model is written before the rest is rendered.
        if flush(at: now) { client.flush() }
        renderer.rest(snapshot, in: &publisher.retained)
        if snapshot.changes.contains(.nearby) || discovery.isNearbyStale { showNearby(snapshot.state) }
        for index in renderers.indices { renderers[index].observe(snapshot) }
        clearStaleTopics()
        flush(at: now)
        readStaleTopics()
    }

    /// Counts the turns in which objects moved, for ``accessListApplied(_:)``.
    package var accessNumber: Int { gate?.number ?? 0 }

    /// The broker uses a list of what users may do, made when ``accessNumber`` was this.
    package func accessListApplied(_ number: Int) {
        // It is said once, also while the link to another broker is made.
        gate?.listApplied(number, in: &publisher.retained)
        if !isLeaving { flush() }
    }

    /// Shows the nearby thing to Home Assistant.
    func showNearby(_ state: ControllerState) {
        let messages = discovery.nearby(state, on: topics)
        for (message, spacing) in messages { publisher.retained.set(message, spacing: spacing) }
        guard messages.isEmpty else { return }
        for topic in [topics.nearbyLight, topics.nearbyDistance] where publisher.retained.holds(topic) {
            publisher.retained.clear(topic)
        }
    }

    /// Publishes the state feed, changed or not.
    package func resend(_ state: ControllerState) {
        guard !isLeaving else { return }
        // Its sequence number may have changed alone.
        renderer.feed(state, in: &publisher.retained)
        publisher.retained.resend(topics.state)
        flush()
    }

    /// Milliseconds: topics with an interval become due in steps of this length, so that many share a timer.
    private static let timerStep: Int64 = 25

    /// Sends the retained topics that are due.
    ///
    /// - Returns: Whether anything was sent.
    @discardableResult
    func flush(at now: Int64? = nil) -> Bool {
        guard publisher.canSend, !hasEnded else { return false }
        let now = now ?? self.now
        for index in renderers.indices { renderers[index].render(into: &publisher.retained, at: now) }
        let hasSent = publisher.flush(at: now, upTo: discovery.isHoldingStates ? .info : .view)
        if publisher.hasRefusals { handleRefusals() }
        if publisher.canSend { planFlush(at: now) }
        return hasSent
    }

    private func planFlush(at now: Int64) {
        // Mostly nothing waits, and the store is not passed on to learn that.
        let next = publisher.retained.isSent ? nil : publisher.retained.nextDue(after: now)
        let due = renderers.reduce(next) { first, renderer in
            first.map { min($0, renderer.nextDue ?? $0) } ?? renderer.nextDue
        }
        let first = due.map { ($0 + Self.timerStep - 1) / Self.timerStep * Self.timerStep }
        guard let first, plannedWake.map({ first < $0 || $0 <= now }) ?? true else { return }
        plannedWake = first
        after(.milliseconds(max(0, first - now))) { bridge in
            if bridge.plannedWake == first { bridge.plannedWake = nil }
            bridge.flush()
        }
    }
}
