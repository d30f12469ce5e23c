import Controller
import MQTT
import Messages

/// What the broker keeps from before this run is taken away, as far as this run does not tell it anew.
///
/// The broker is asked only where somebody was before, and only until everything is told: we need not hear ourselves.
extension MQTTBridge {
    /// Asks the broker what it keeps, until everything was told and what is left is gone.
    ///
    /// - Parameters:
    ///   - isOurs: Whether of our own topics, not only of former ones.
    ///   - isKnown: Whether nobody but us has spoken there.
    func sweep(isOurs: Bool, isKnown: Bool = false) {
        sweeping?.cancel()
        if isOurs { hasSwept = true }
        hasSweptSinceTick = false
        staleTopics = isOurs ? [StaleTopics(topics, isKnown: isKnown)] : []
        staleTopics += formerRoots.map { StaleTopics(Topics(root: $0)) }
        // Our status and info are heard anyway, and ours by now. With QoS 0 all is handed over at once.
        let filters = staleTopics.flatMap(\.filters).filter { $0 != topics.status && $0 != topics.info }
        sweeping = subscribe(filters, qos: .atMostOnce) { bridge, message in
            for index in bridge.staleTopics.indices { bridge.staleTopics[index].note(message) }
            if bridge.clearStaleTopics() { bridge.flush() }
        }
    }

    /// Takes away what is left, once it is known what there is to tell.
    ///
    /// - Parameter isAlone: Whether nobody has answered to our info, though somebody is said to be here. On former
    ///   topics nobody would answer.
    /// - Returns: Whether something is to be sent.
    @discardableResult
    func clearStaleTopics(isAlone: Bool = false) -> Bool {
        guard renderer.isSettled, rivals.isEmpty, !isLeaving else { return false }
        var topics: [String] = []
        for index in staleTopics.indices {
            let isOurs = staleTopics[index].root == configuration.root
            guard isOurs ? isAlone || !isSaidToBeThere : !staleTopics[index].isInhabited else { continue }
            topics += staleTopics[index].take { book.holds($0) }
        }
        for topic in topics { book.clear(topic) }
        return !topics.isEmpty
    }

    /// Called at each tick: after a whole one everything that is kept was heard, and whoever is there has answered.
    func continueSweep() {
        guard sweeping != nil, isConnected else { return }
        guard hasSweptSinceTick else {
            hasSweptSinceTick = true
            return
        }
        // A duplicate of this node was lost together with the link, and has not come back.
        if discovery.hasForeignIDs, rivals.isEmpty { announceAfterRivals() }
        guard !clearStaleTopics(isAlone: true) else { return }
        guard renderer.isSettled, rivals.isEmpty, book.isSent, client.counters.queued == 0 else { return }
        endSweep()
        for root in formerRoots { discovery.remember(.root(root, isUsed: false)) }
        formerRoots = []
    }

    /// From now on something of this run is on the broker.
    func rememberSpeaking() {
        discovery.remember(.root(configuration.root, isUsed: true))
        discovery.remember(.epoch(identity.epoch))
    }

    func endSweep() {
        sweeping?.cancel()
        sweeping = nil
        staleTopics = []
    }
}
