package import Controller
import HomeAssistant
import Logging
import MQTT

/// What Home Assistant is told, and when.
extension MQTTBridge {
    /// So many messages at a time, and so long until the next ones: commands come in between.
    private static let batch = 20
    private static let pause: Duration = .milliseconds(10)
    /// States are shorter, and ready.
    private static let stateBatch = 60
    /// So long the states wait for it after a connect.
    private static let longestFirstWord: Duration = .milliseconds(500)
    /// So long Home Assistant gets for taking entities away before they are announced again.
    private static let removalTime: Duration = .seconds(2)
    /// With so many messages that the broker has not confirmed, it is waited for.
    private static let mostUnconfirmed = 400

    /// Home Assistant has come; not all of its friends should answer in the same moment.
    func take(birth message: MQTTMessage) {
        let isThere = message.payload == Array("online".utf8)
        guard isThere || message.payload == Array("offline".utf8) else { return }
        discovery.announcer.setOnline(isThere)
        guard isThere, !message.isRetained else { return }
        if !rivals.isEmpty { discovery.hasForeignIDs = true }
        guard !discovery.isBirthAwaited else { return }
        discovery.isBirthAwaited = true
        after(.milliseconds(Int.random(in: 0...1000))) { bridge in
            bridge.discovery.isBirthAwaited = false
            guard bridge.isConnected, !bridge.isLeaving else { return }
            bridge.discovery.resendsStates = true
            bridge.send(.announcementWanted)
        }
    }

    /// Announces everything to Home Assistant, again or for the first time.
    package func announceAll(_ state: ControllerState) {
        guard isConnected, !isLeaving else { return }
        discovery.announcer.setLinks(Set(links.keys))
        let urgent = discovery.announcer.announceAll(
            state,
            isBirth: discovery.resendsStates,
            at: clock().steadyMilliseconds
        )
        publish(urgent)
        discovery.isFirstWord = false
        flush()
        continueAnnouncing()
    }

    /// A second daemon with our node has gone: what it announced on our topics is replaced, and the states are told.
    ///
    /// An entity keeps the id under which Home Assistant met it. What it may have met under the other daemon's ids is
    /// taken away first.
    func announceAfterRivals() {
        guard isConnected else { return }
        guard discovery.hasForeignIDs else {
            discovery.resendsStates = true
            return send(.announcementWanted)
        }
        withdrawAnnouncements()
        let lostLinks = discovery.lostLinks
        after(Self.removalTime) { bridge in
            // If the link was lost meanwhile, Home Assistant may not have seen it: withdraw again after the next connect.
            guard bridge.isConnected, bridge.discovery.lostLinks == lostLinks, !bridge.isLeaving else {
                return
            }
            bridge.discovery.hasForeignIDs = false
            bridge.discovery.resendsStates = true
            bridge.send(.announcementWanted)
        }
    }

    /// After a connect the model and the view wait a moment for what has to be told before them.
    func letDiscoverySpeakFirst() {
        discovery.isFirstWord = true
        send(.announcementWanted)
        // Whoever should answer may not be there.
        after(Self.longestFirstWord) { bridge in
            bridge.discovery.isFirstWord = false
            bridge.flush()
        }
    }

    /// Tells at once what has to be known before the new values are.
    func announceChanges(_ snapshot: StateSnapshot) {
        guard isConnected else { return }
        let urgent = discovery.announcer.update(with: snapshot, at: clock().steadyMilliseconds)
        publish(urgent)
        if discovery.announcer.hasWork || discovery.announcer.hasRemoved { continueAnnouncing() }
    }

    /// Another link is told of in health, or one is no more.
    func noteLinks() {
        discovery.announcer.setLinks(Set(links.keys))
    }

    /// What of the own device can be told without the place, when that does not come.
    func askForPlaceless() {
        if isConnected, discovery.announcer.isAwaitingPlace { send(.announcementWanted) }
    }

    /// Takes everything back, before the topics are cleared that it speaks of.
    ///
    /// - Returns: Whether the client took all of it; ``withdrawRest()`` goes on.
    @discardableResult
    func withdrawAnnouncements() -> Bool {
        publish(discovery.announcer.withdrawAll())
    }

    func withdrawRest() -> Bool {
        publish(discovery.announcer.next(.max, at: clock().steadyMilliseconds))
    }

    /// What was taken away and is so at the broker needs no thought at the next start.
    func forgetAnnouncements() {
        for topic in discovery.announcer.drainRemoved() { discovery.remember(.withdrawn(topic: topic)) }
    }

    /// - Returns: Whether the client took all of them; the others are next.
    @discardableResult
    private func publish(_ announcements: [Announcement]) -> Bool {
        guard !announcements.isEmpty else { return true }
        discovery.rememberNews()
        for remark in discovery.announcer.drainWarnings() { logger.warning("\(remark)") }
        for (index, announcement) in announcements.enumerated() where !publish(announcement.message) {
            discovery.announcer.putBack(announcements[index...])
            continueAnnouncing()
            return false
        }
        return true
    }

    /// Announces what waits, a batch at a time, so that commands come in between.
    func continueAnnouncing(after delay: Duration = .zero) {
        guard !discovery.isAnnouncing else { return }
        discovery.isAnnouncing = true
        after(delay) { bridge in
            bridge.discovery.isAnnouncing = false
            if bridge.announceNext() { bridge.continueAnnouncing(after: Self.pause) }
        }
    }

    /// - Returns: Whether there is more to do.
    private func announceNext() -> Bool {
        guard isConnected, !isLeaving, !hasEnded else { return false }
        // Not before the states, of which availability is a part, and not faster than the broker takes it.
        guard client.counters.queued < Self.mostUnconfirmed, book.due(at: clock().steadyMilliseconds).isEmpty
        else { return true }
        publish(discovery.announcer.next(Self.batch, at: clock().steadyMilliseconds))
        if discovery.resendsStates, discovery.announcer.isComplete {
            discovery.resendsStates = false
            discovery.resends = book.topics[...]
        }
        if !discovery.resends.isEmpty {
            for topic in discovery.resends.prefix(Self.stateBatch) { book.repeatTopic(topic) }
            discovery.resends = discovery.resends.dropFirst(Self.stateBatch)
            flush()
        }
        if client.counters.queued == 0, discovery.announcer.isComplete { forgetAnnouncements() }
        return discovery.announcer.hasWork || discovery.announcer.hasRemoved || !discovery.resends.isEmpty
    }
}
