package import Controller
import HomeAssistant
import JSON
import Logging
import MQTT
import Messages
import Things

/// Carries out what the values return.
extension MQTTBridge {
    // MARK: Commands

    func receive(command message: MQTTMessage) {
        perform(inbox.receive(message), on: message.topic)
    }

    package func publish(_ event: ChangeEvent) { publisher.publish(event, epoch: epoch, on: topics) }

    /// Publishes the answer to a command from the broker.
    package func publish(_ answer: Answer) { publisher.publish(inbox.reply(with: answer), on: topics) }

    func perform(_ actions: [CommandInbox.Action], on topic: String = "") {
        for action in actions {
            switch action {
            case .handle(let command): send(.commandReceived(command))
            case .updateAlert(let commands): send(commands.event)
            case .refuse(let reply):
                let why = reply.answer.refusal?.message ?? ""
                logger.debug("command refused", metadata: ["topic": "\(topic)", "why": "\(why)"])
                publisher.publish(reply, on: topics)
                let source = topic.isEmpty ? nil : topic
                send(.commandRefused(reply.answer, caller: reply.caller, source: source))
            }
        }
    }

    // MARK: Ownership of the topics

    func receive(own message: MQTTMessage) {
        if isOwnFarewell(message) { return }
        perform(ownership.receive(message, isConnected: publisher.isConnected, at: now))
    }

    func receive(copy message: MQTTMessage) {
        guard !isLeaving, !isClosing else { return }
        perform(copies.receive(message, at: now))
        readCopyStatuses()
    }

    /// Reads the status of the copies that are known.
    func readCopyStatuses() {
        read(.copyStatuses, copies.statuses) { $0.receive(copy: $1) }
    }

    func perform(_ actions: [TopicOwnership.Action]) {
        for action in actions {
            switch action {
            case .read(let filters, let withDevices):
                staleReading?.cancel()
                let devices = withDevices ? [discovery.publisher.deviceTopics] : []
                // With QoS 0 the broker sends everything at once.
                // Devices first, as they are to go before their states.
                staleReading = subscribe(devices + filters, qos: .atMostOnce) { bridge, message in
                    if !bridge.discovery.publisher.isDevice(message.topic) {
                        bridge.ownership.record(message)
                    } else if bridge.discovery.isOfNode(message) {
                        bridge.ownership.record(device: message)
                    }
                    if bridge.clearStaleTopics() { bridge.flush() }
                }
            case .stopReading:
                staleReading?.cancel()
                staleReading = nil
            case .clear(let topics): clear(topics)
            case .resendInfo:
                publisher.retained.resend(topics.info)
                flush()
            case .showInstallation:
                guard !isLeaving, !isClosing else { continue }
                let payload = JSONValue.object(["epoch": .string(epoch)]).bytes
                client.publish(
                    MQTTMessage(topic: topics.installation(installation), payload: payload, qos: .atLeastOnce)
                )
            case .resendAll:
                publisher.retained.resendAll()
                flush()
            case .duplicateWasFirst: discovery.recordForeignIDs()
            case .duplicatesGone:
                if publisher.isConnected { perform(discovery.duplicatesGone()) }
            case .send(let event): send(event)
            case .remember(let record): remember(record)
            case .logNotice(let text): logger.notice("\(text)")
            case .logError(let text): logger.error("\(text)", metadata: ["topics": "\(topics.root)"])
            }
        }
    }

    /// Reads many retained topics once everything of this run is published and confirmed.
    func readStaleTopics() {
        guard ownership.isReadingPutOff, publisher.isConnected, isEverythingKnown else { return }
        guard isIdle, discovery.publisher.isComplete else { return }
        perform(ownership.readPutOff())
    }

    /// - Returns: Whether something is to be sent.
    @discardableResult
    func clearStaleTopics() -> Bool {
        guard ownership.hasStaleTopics else { return false }
        let stale = ownership.drainStaleTopics(
            isPlaceKnown: isEverythingKnown,
            unless: isExpected
        )
        clear(stale)
        return !stale.isEmpty
    }

    /// Whether all topics of this run are known.
    var isEverythingKnown: Bool {
        renderer.isSettled && discovery.publisher.isSettled && renderers.allSatisfy { $0.isSettled }
    }

    /// Clears stale topics, those of devices first: Home Assistant complains of a light without a state.
    private func clear(_ topics: [String]) {
        perform(discovery.remove(topics))
        for topic in topics where !discovery.publisher.isDevice(topic) { publisher.retained.clear(topic) }
    }

    // MARK: Discovery

    func receive(birth message: MQTTMessage) {
        let delay = Duration.milliseconds(Int.random(in: 0...1000))
        perform(discovery.receive(birth: message, delay: delay, hasDuplicates: ownership.hasDuplicates))
    }

    /// What is remembered of the discovery topics of this node.
    package var discoveryMemories: [String: String] { discovery.publisher.memories }

    /// Takes over the announcements of a further node that was removed: see ``DiscoveryPublisher/adopt(_:isCleared:)``.
    package func adopt(_ memories: [String: String], isCleared: Bool) {
        discovery.publisher.adopt(memories, isCleared: isCleared)
        for record in discovery.drainAnnounced() { remember(record) }
    }

    /// A further node is there again.
    package func release(_ node: String) { discovery.publisher.release(node) }

    /// Announces everything to Home Assistant.
    package func announceAll(_ state: ControllerState) {
        guard publisher.isConnected, !isLeaving else { return }
        let actions = discovery.announceAll(state, links: Set(report.links.keys), at: now)
        showNearby(state)
        perform(actions)
    }

    func perform(_ actions: [DiscoverySession.Action]) {
        for action in actions {
            switch action {
            case .publish(let announcements): publish(announcements)
            case .requestState: send(.announcementWanted)
            case .flush: flush()
            case .wait(let delay, let step): after(delay) { $0.perform(step) }
            }
        }
    }

    private func perform(_ step: DiscoverySession.Step) {
        let isActive = publisher.isConnected && !isLeaving
        perform(discovery.perform(step, isActive: isActive))
        if step == .nextBatch, isActive, !hasEnded { announceNextBatch() }
    }

    private func publish(_ announcements: [Announcement]) {
        guard !announcements.isEmpty else { return }
        for record in discovery.drainAnnounced() { remember(record) }
        for warning in discovery.publisher.drainWarnings() { logger.warning("\(warning)") }
        for (index, announcement) in announcements.enumerated() where !publisher.publish(announcement.message)
        {
            return perform(discovery.putBack(announcements[index...]))
        }
        if publisher.hasRefusals { handleRefusals() }
        lookAtOthers()
    }

    func receive(other message: MQTTMessage) {
        if discovery.publisher.record(other: message.topic, message.payload) { lookAtOthers() }
    }

    /// Looks soon whether another daemon announces a thing of ours: once for many announcements.
    private func lookAtOthers() {
        guard !isLookPlanned, !hasEnded else { return }
        isLookPlanned = true
        after(.seconds(1)) { bridge in
            bridge.isLookPlanned = false
            if let event = bridge.discovery.doubledEvent() { bridge.send(event) }
        }
    }

    private func announceNextBatch() {
        // After the states, which include the availability, and no faster than the broker confirms.
        let hasRoom = client.counters.queued < DiscoverySession.mostUnconfirmed
        guard hasRoom, publisher.retained.due(at: now).isEmpty else {
            return perform(discovery.planNextBatch(isDelayed: true, at: now))
        }
        perform(discovery.next(at: now))
        let states = discovery.nextStates(of: publisher.retained.topics)
        if !states.isEmpty {
            for topic in states { publisher.retained.resend(topic) }
            flush()
        }
        if client.counters.queued == 0, discovery.publisher.isComplete {
            // A refusal ends the wait too, and may not have been reported yet.
            handleRefusals()
            for record in discovery.drainRemoved() { remember(record) }
        }
        perform(discovery.planNextBatch(at: now))
    }
}
