package import Controller
import Flare
import HomeAssistant
package import Logging
package import MQTT
import Messages
import Things
package import Threading

/// One node's side of the broker.
///
/// Snapshots of the state become retained topics, events and answers become messages, messages become commands.
/// What the broker should hold is kept in a ``RetainedTopicStore``, so that only differences go out, and everything
/// goes out again after a reconnect.
///
/// The bridge runs on the loop of its node, which calls it as plain functions; the broker's messages and what happens
/// to the link come there in the order in which the connection brought them.
package actor MQTTBridge {
    nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var configuration: BridgeConfiguration
    let identity: BridgeIdentity
    let topics: Topics
    let client: MQTTClient
    let clock: @Sendable () -> Instant
    let send: @Sendable (ControllerEvent) -> Void
    /// What others have counted, for the health message.
    private let counters: @Sendable () -> [String: Int]
    let logger: Logger

    var book = RetainedTopicStore()
    private(set) var renderer: StateRenderer
    private var publishers: [any StatePublisher]
    private var inbox: CommandInbox
    var discovery: DiscoverySchedule
    var isConnected = false
    private var (hasSpoken, isFull) = (false, false)
    /// Links of the daemon beside that to the broker, by name.
    private(set) var links = ["flare": false]
    /// Whether the bridge has stopped: only ``farewell`` is still to be sent.
    private(set) var hasEnded = false
    private var openAlerts = 0
    private var retainedCommands = RetainedCommands()
    var refusals = BrokerRefusals()
    var rivals = DuplicateNodeDetector()
    /// What the broker keeps from before, while that is asked for.
    var staleTopics: [StaleTopics] = []
    var sweeping: MQTTSubscription?
    var hasSwept = false
    var hasSweptSinceTick = false
    /// Whether the broker had it, before we said so, that a daemon is here: a rival, or one that it did not see go.
    var isSaidToBeThere = false
    var formerRoots: [String]
    /// Whether everything was taken back: nothing is said here any more.
    private(set) var isLeaving = false
    var droppedEvents = 0
    private var positionTiming: PositionTiming

    private var plannedWake: Int64?

    package init(
        on loop: LoopExecutor,
        configuration: BridgeConfiguration,
        identity: BridgeIdentity,
        client: MQTTClient,
        publishers: [any StatePublisher] = [],
        logger: Logger,
        clock: @escaping @Sendable () -> Instant,
        seconds: @escaping @Sendable () -> Double,
        counters: @escaping @Sendable () -> [String: Int] = { [:] },
        remember: @escaping @Sendable (ControllerEffect.PersistedRecord) -> Void = { _ in },
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        // What was announced is the announcer's to know; a thousand topics need not be kept twice.
        var own = identity
        own.announced = [:]
        self.identity = own
        self.client = client
        self.logger = logger
        self.clock = clock
        self.counters = counters
        self.send = send
        topics = Topics(root: configuration.root)
        positionTiming = PositionTiming(topic: topics.devicePosition, seconds: seconds)
        inbox = CommandInbox(root: configuration.root)
        renderer = StateRenderer(configuration: configuration)
        formerRoots = identity.formerRoots.filter { $0 != configuration.root }
        self.publishers = publishers
        discovery = DiscoverySchedule(
            configuration.discoveryConfiguration(installation: identity.installation, topics: topics),
            remembered: identity.announced,
            remember: remember
        )
        // Before the client runs, so that no connect is missed.
        client.handleLinkEvents(on: loop) { [weak self] event in self?.assumeIsolated { $0.take(event) } }
    }

    /// Subscribes, and repeats what is to be repeated, until the task is cancelled.
    package func run() async {
        let subscriptions = [
            subscribe(topics.commands) { $0.take(command: $1) },
            subscribe([topics.info, topics.status]) { $0.take(info: $1) },
            subscribe(discovery.births) { $0.take(birth: $1) },
        ]
        stateInfo()
        if !formerRoots.isEmpty { sweep(isOurs: false) }
        await repeatRegularly()
        for subscription in subscriptions { subscription.cancel() }
        endSweep()
        hasEnded = true
    }

    /// Has the messages of some filters handled here.
    func subscribe(
        _ filters: [String],
        qos: MQTTQoS = .atLeastOnce,
        _ handle: @escaping @Sendable (isolated MQTTBridge, MQTTMessage) -> Void
    ) -> MQTTSubscription {
        client.subscribe(filters, qos: qos, on: loop) { message in
            self.assumeIsolated { handle($0, message) }
        }
    }

    /// Does something later.
    ///
    /// Nobody waits for it, so it must look again at what is so by then.
    func after(_ delay: Duration, _ body: @escaping @Sendable (isolated MQTTBridge) -> Void) {
        // A task of its own: what is due at one time has nothing to do with what is due at another.
        Task {
            try? await Task.sleep(for: delay)
            body(self)
        }
    }

    /// Tells where the Flare server answers, once that is known.
    package func state(flareURL: String) {
        configuration.flareURL = flareURL
        stateInfo()
        flush()
        discovery.announcer.setFlareURL(flareURL)
    }

    /// Tells whether another link of the daemon is up; `nil` when there is none.
    package func state(link: String, isUp: Bool?) {
        guard links[link] != isUp else { return }
        links[link] = isUp
        stateHealth()
        flush()
        noteLinks()
    }

    /// The last thing to say: sent by the client as it stops.
    package var farewell: MQTTMessage {
        guard isLeaving else { return offline }
        return MQTTMessage(topic: topics.status, payload: [], qos: .atLeastOnce, isRetained: true)
    }

    nonisolated var offline: MQTTMessage {
        MQTTMessage(topic: topics.status, payload: Array("offline".utf8), qos: .atLeastOnce, isRetained: true)
    }

    /// Takes back all that the broker keeps of us: we will speak on other topics, or elsewhere.
    ///
    /// Answers and events still go out; ``farewell`` then takes the status back as well. Without a link nothing can
    /// be taken back.
    package func leave(within limit: Duration = .seconds(5)) async {
        isLeaving = true
        publishers = []
        let end = ContinuousClock.now + limit
        // Devices go before the topics that they speak of. What is more than the client takes at once goes when the
        // broker has acknowledged some.
        var isWithdrawn = withdrawAnnouncements()
        while isConnected, !isWithdrawn, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
            isWithdrawn = withdrawRest()
        }
        book.clearAll()
        book.state(offline, rank: .status)
        flush()
        while isConnected, !book.isSent, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
        }
        forgetAnnouncements()
    }

    // MARK: The link

    private func take(_ event: MQTTLinkEvent) {
        switch event {
        case .connected(let session):
            send(refusals.connected(session))
            if !hasSpoken { rememberSpeaking() }
            (hasSpoken, isConnected, isFull) = (true, true, false)
            rivals.linkCameUp()
            book.startAgain()
            if !isLeaving {
                var online = offline
                online.payload = Array("online".utf8)
                book.state(online, rank: .status)
            }
            stateHealth()
            letDiscoverySpeakFirst()
            flush()
            send(.brokerLinkChanged(isUp: true))
        case .disconnected(let error):
            for event in refusals.disconnected(error) { send(event) }
            if isConnected { send(.brokerLinkChanged(isUp: false)) }
            // A retained command that is still there arrives again at the next connect, perhaps before the link event.
            retainedCommands = RetainedCommands()
            send(.alertCleared(RetainedCommands.alert))
            isConnected = false
            rivals.linkWentDown()
            forgetRivals()
            discovery.linkLost()
        case .refused: noteRefusals()
        case .drained:
            isFull = false
            flush()
        }
    }

    // MARK: Snapshots

    /// Publishes what a turn has changed.
    package func publish(_ snapshot: StateSnapshot) {
        guard !isLeaving else { return }
        let openAlerts = snapshot.state.alerts.count
        if snapshot.changes.contains(.link) || openAlerts != self.openAlerts {
            links["flare"] = snapshot.state.isLinkUp
            self.openAlerts = openAlerts
            stateHealth()
        }
        positionTiming.take(snapshot)
        announceChanges(snapshot)
        renderer.model(snapshot, in: &book)
        // Publish the model before the rest is rendered.
        flush()
        renderer.rest(snapshot, in: &book)
        for index in publishers.indices { publishers[index].observe(snapshot) }
        clearStaleTopics()
        flush()
    }

    /// Hands over what is due, as far as the client has room.
    func flush() {
        guard isConnected, !isFull, !hasEnded else { return }
        let now = clock().steadyMilliseconds
        for index in publishers.indices { publishers[index].render(into: &book, at: now) }
        for message in book.due(at: now, upTo: discovery.isFirstWord ? .info : .view) {
            guard publish(message) else { return }
            book.sent(message, at: now)
            positionTiming.sent(message)
        }
        let due = ([book.nextDue(after: now)] + publishers.map(\.nextDue)).compactMap(\.self).min()
        if let due, plannedWake.map({ due < $0 || $0 <= now }) ?? true {
            plannedWake = due
            after(.milliseconds(max(0, due - now))) { bridge in
                if bridge.plannedWake == due { bridge.plannedWake = nil }
                bridge.flush()
            }
        }
    }

    /// - Returns: Whether the client took the message (or dropped one that may be dropped).
    func publish(_ message: MQTTMessage) -> Bool {
        isTaken(client.publish(message), message)
    }

    func isTaken(_ outcome: MQTTPublishOutcome, _ message: MQTTMessage) -> Bool {
        switch outcome {
        case .queued, .dropped: return true
        case .refused(let error):
            if case .queueFull = error {
                isFull = true
                return false
            }
            logger.error(
                "a message cannot be sent",
                metadata: ["topic": "\(message.topic)", "error": "\(error)"]
            )
            return true
        }
    }

    // MARK: Events and answers

    /// Publishes the state feed, changed or not.
    package func resend(_ state: ControllerState) {
        guard !isLeaving else { return }
        // Not every event changes the feed, but its number counts.
        renderer.feed(state, in: &book)
        book.repeatTopic(topics.state)
        flush()
    }

    package func publish(_ event: ChangeEvent) {
        // Without a link nobody can receive it; the gap in the numbers shows that.
        guard isConnected else {
            droppedEvents += 1
            return
        }
        publishOnce(topics.event(event.topic), event.json(epoch: identity.epoch))
    }

    /// Publishes the answer to a command that came from the broker.
    package func publish(_ answer: Answer) { publish(inbox.reply(with: answer)) }

    // MARK: Commands

    private func take(command message: MQTTMessage) {
        guard !retainedCommands.isCleared(by: message) else { return send(retainedCommands.event) }
        switch inbox.receive(message) {
        case nil: break
        case .command(let command)?: send(.commandReceived(command))
        case .refused(let reply)?:
            let why = reply.answer.refusal
            logger.debug(
                "command refused",
                metadata: ["topic": "\(message.topic)", "why": "\(why?.message ?? "")"]
            )
            if why?.code == .retainedCommand, retainedCommands.note(message.topic) {
                send(retainedCommands.event)
            }
            publish(reply)
            send(.commandRefused(reply.answer))
        }
    }

    // MARK: Regularly

    private func repeatRegularly() async {
        let start = ContinuousClock.now
        var ticks = 0
        while !Task.isCancelled {
            ticks += 1
            do { try await Task.sleep(until: start + configuration.aliveInterval * ticks) } catch { return }
            // What was just told is a sign of life itself, and its repetition would hold back the next value.
            let now = clock()
            for topic in renderer.aliveTopics(at: now)
            where (book.age(of: topic, at: now.steadyMilliseconds) ?? .max) >= configuration.aliveRest {
                book.repeatTopic(topic)
            }
            if configuration.isHealthDue(atTick: ticks) { healthIntervalPassed() }
            continueSweep()
            flush()
            // Nothing on its way: what was cleared is so at the broker.
            if isConnected, book.isSent, client.counters.queued == 0 {
                let cleared = renderer.takeCleared()
                if !cleared.isEmpty { send(.topicsCleared(cleared)) }
            }
            askForPlaceless()
        }
    }

    func stateHealth() {
        guard !isLeaving else { return }
        var properties = MQTTProperties()
        properties.messageExpirySeconds = 180
        let health = identity.health(
            at: clock(),
            links: links,
            alerts: openAlerts,
            broker: client.counters,
            droppedEvents: droppedEvents,
            positionLatency: positionTiming.histogram,
            counters: counters()
        )
        book.state(
            MQTTMessage(
                topic: topics.health,
                payload: health.bytes,
                qos: .atMostOnce,
                isRetained: true,
                properties: properties
            )
        )
    }
}
