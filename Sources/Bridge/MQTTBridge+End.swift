import HomeAssistant
package import MQTT
import Messages

/// How the bridge ends.
extension MQTTBridge {
    /// The last message, sent by the client as it stops.
    package var farewell: MQTTMessage {
        guard isLeaving else { return topics.message(isOnline: false) }
        return MQTTMessage(topic: topics.status, payload: [], qos: .atLeastOnce, isRetained: true)
    }

    /// Clears everything that the broker retains of this node, before it gets other topics or another broker.
    ///
    /// Answers and events are still published; ``farewell`` clears the status. Without a link nothing can be cleared.
    ///
    /// - Returns: Whether all of it was sent in time.
    @discardableResult
    package func leave(within limit: Duration = .seconds(5)) async -> Bool {
        isLeaving = true
        renderers = []
        ownership.leave()
        let end = ContinuousClock.now + limit
        // Devices first, as their entities read our topics. What the client has no room for follows as the broker
        // acknowledges the rest.
        perform(discovery.withdraw())
        while publisher.isConnected, !discovery.publisher.isComplete, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return false }
            perform(discovery.next(all: true, at: now))
        }
        publisher.retained.clearAll()
        publisher.retained.set(topics.message(isOnline: false), rank: .status)
        flush()
        while publisher.isConnected, !publisher.retained.isSent, ContinuousClock.now < end {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return false }
        }
        for record in discovery.drainRemoved() { remember(record) }
        return publisher.isConnected && publisher.retained.isSent
    }

    /// Publishes `offline`, and waits until the commands that the broker took before it have arrived.
    ///
    /// They are carried out as usual. Later ones are refused: their senders could know that nobody is there. Everything
    /// else is still published.
    package func close(within limit: Duration = .seconds(1)) async {
        isClosing = true
        ownership.leave()
        if publisher.isConnected, !isLeaving {
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            closing = arrival
            // It would go on saying that all is well.
            publisher.retained.clear(topics.health)
            publisher.retained.set(farewell, rank: .status)
            flush()
            // The broker sends us what it takes in that order, and this last.
            let timer = Task {
                try? await Task.sleep(for: limit)
                arrival.finish()
            }
            for await _ in arrivals { break }
            timer.cancel()
            closing = nil
        }
        inbox.close()
    }

    /// Connects with another configuration of the link, and waits for it for a while.
    ///
    /// Who sends meanwhile has read `offline`.
    /// - Parameter isElsewhere: Whether it is another broker: nothing is left behind on the old one.
    package func reconnect(
        _ configuration: MQTTConfiguration,
        isElsewhere: Bool,
        within limit: Duration = .seconds(5)
    ) async {
        if isElsewhere { await leave() }
        await close()
        reopening = isElsewhere
        let (connections, connection) = AsyncStream.makeStream(of: Void.self)
        connecting = connection
        // Elsewhere the status was kept until now.
        await client.reconnect(configuration, last: isElsewhere ? farewell : nil)
        endContest(duplicateClient.end())
        duplicateClient = DuplicateClientDetector(configuration)
        let timer = Task {
            try? await Task.sleep(for: limit)
            connection.finish()
        }
        for await _ in connections { break }
        timer.cancel()
        reopen()
    }

    /// Takes part again, once the link on which we said farewell has ended.
    func reopen() {
        guard let isElsewhere = reopening else { return }
        reopening = nil
        if isElsewhere { beginAgain() }
        ownership.stay()
        inbox.open()
        (isLeaving, isClosing) = (false, false)
    }

    /// - Returns: Whether it is our own farewell.
    func isOwnFarewell(_ message: MQTTMessage) -> Bool {
        guard isClosing, message.topic == topics.status, message.payload == farewell.payload else {
            return false
        }
        closing?.finish()
        return true
    }
}
