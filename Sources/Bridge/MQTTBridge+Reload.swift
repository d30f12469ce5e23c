package import Controller
import HomeAssistant
import MQTT
import Messages

extension MQTTBridge {
    /// Uses another configuration, and the parts of other capabilities, after a reload.
    ///
    /// - Parameters:
    ///   - configuration: With the same topics, and the same Flare server.
    ///   - ended: Retained topics that nobody renders any more.
    ///   - snapshot: Everything.
    package func use(
        _ configuration: BridgeConfiguration,
        renderers: [any TopicRenderer],
        clearing ended: [String],
        _ snapshot: StateSnapshot
    ) {
        guard !isLeaving, !hasEnded else { return }
        let flareURL = self.configuration.flareURL
        self.configuration = configuration
        self.configuration.flareURL = flareURL
        report.use(configuration)
        publisher.retained.set(report.infoMessage, rank: .info)
        inbox.use(configuration)
        waitForAccessList(snapshot)
        if hasBegunAgain {
            hasBegunAgain = false
            renderer.render(snapshot, in: &publisher.retained)
        }
        renderer.use(configuration, snapshot.state, in: &publisher.retained)
        for topic in ended { publisher.retained.clear(topic) }
        self.renderers = renderers
        for index in self.renderers.indices { self.renderers[index].observe(snapshot) }
        if discovery.use(
            self.configuration.discoveryConfiguration(installation: installation, topics: topics)
        ) {
            announceAll(snapshot.state)
        }
        showNearby(snapshot.state)
        readWhatIsConfigured()
        flush()
    }

    /// Uses another configuration for the node of a further device, with the same renderers.
    package func use(_ configuration: BridgeConfiguration, _ snapshot: StateSnapshot) {
        use(configuration, renderers: renderers, clearing: [], snapshot)
    }

    /// Forgets what was on the broker, as another one knows nothing.
    func beginAgain() {
        publisher.retained = RetainedTopicStore()
        gate?.hold(in: &publisher.retained)
        publisher.retained.set(report.infoMessage, rank: .info)
        renderer = StateRenderer(configuration: configuration)
        ownership = TopicOwnership(topics: topics, epoch: epoch, formerEpoch: nil, formerRoots: [])
        hasBegunAgain = true
    }

    /// Begins or ends to hold back what the broker's access list does not know.
    private func waitForAccessList(_ snapshot: StateSnapshot) {
        if configuration.waitsForAccessList, gate == nil {
            var gate = AccessListGate(topics)
            gate.observe(snapshot, in: &publisher.retained)
            self.gate = gate
        } else if configuration.waitsForAccessList {
            // What moved while nothing was published.
            gate?.observe(snapshot, in: &publisher.retained)
        } else {
            gate?.end(in: &publisher.retained)
            gate = nil
        }
    }

    func readWhatIsConfigured() {
        read(.userCommands, configuration.hasUserTopics ? topics.userCommands(commands) : []) {
            $0.receive(command: $1)
        }
        read(.births, discovery.births) { $0.receive(birth: $1) }
        // In a fleet this is a lot to read, and of no use while nobody else has our things.
        readsOthers = readsOthers || isPlaceShared()
        read(.otherDevices, readsOthers ? discovery.publisher.otherDevices : []) { $0.receive(other: $1) }
        if discovery.publisher.otherDevices.isEmpty, let event = discovery.forgetOthers() { send(event) }
    }

    /// Subscribes to these filters instead of those of before.
    func read(
        _ reading: Reading,
        _ filters: [String],
        _ handle: @escaping @Sendable (isolated MQTTBridge, MQTTMessage) -> Void
    ) {
        guard subscriptions[reading]?.filters ?? [] != filters else { return }
        subscriptions.removeValue(forKey: reading)?.subscription.cancel()
        if !filters.isEmpty { subscriptions[reading] = (filters, subscribe(filters, handle)) }
    }
}
