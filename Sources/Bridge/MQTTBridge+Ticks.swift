import Controller
import HomeAssistant
import MQTT

/// What happens regularly.
extension MQTTBridge {
    /// Repeats topics regularly, until the task is cancelled.
    package func run() async {
        subscribe()
        await tickUntilCancelled()
        end()
    }

    /// Ends reading; nothing is sent any more but ``farewell``.
    package func end() {
        for reading in subscriptions.values { reading.subscription.cancel() }
        perform(ownership.stopReading())
        hasEnded = true
    }

    /// Repeats what is due, for a bridge that does not ``run()``: many share a timer.
    ///
    /// - Parameter isHealthDue: Whether the interval of the health messages has passed.
    package func tick(isHealthDue: Bool) {
        guard !hasEnded, !isLeaving else { return }
        if isHealthDue { healthIntervalPassed() }
        tick()
    }

    private func tickUntilCancelled() async {
        let start = ContinuousClock.now
        var (alive, health) = (Repetition(last: start), Repetition(last: start))
        while !Task.isCancelled {
            // Read each time: a reload may have changed them.
            let (aliveInterval, healthInterval) = (configuration.aliveInterval, configuration.healthInterval)
            let next = min(alive.next(every: aliveInterval), health.next(every: healthInterval))
            do { try await Task.sleep(until: next) } catch { return }
            let now = ContinuousClock.now
            if health.isDue(at: now, every: configuration.healthInterval) { healthIntervalPassed() }
            if alive.isDue(at: now, every: configuration.aliveInterval) { tick() }
        }
    }

    private func tick() {
        // Before what is repeated below waits for the broker.
        readStaleTopics()
        if !readsOthers, isPlaceShared() { readWhatIsConfigured() }
        // A value that was just published shows that its sensor is alive; repeating it would delay the next one.
        let time = clock()
        for topic in renderer.aliveTopics(at: time)
        where (publisher.retained.age(of: topic, at: time.steadyMilliseconds) ?? .max)
            >= configuration.minimumRepeatAge
        {
            publisher.retained.resend(topic)
        }
        if publisher.isConnected, ownership.tick() { finishReadingStaleTopics() }
        flush()
        if publisher.isConnected, isIdle {
            let cleared = renderer.drainCleared()
            if !cleared.isEmpty { send(.topicsCleared(cleared)) }
        }
        if publisher.isConnected, discovery.publisher.isOwnDue { send(.announcementWanted) }
    }

    /// Whether the broker has confirmed everything.
    var isIdle: Bool { publisher.retained.isSent && client.counters.queued == 0 }

    private func finishReadingStaleTopics() {
        // A duplicate was lost together with the link, and has not come back.
        if discovery.hasForeignIDs, !ownership.hasDuplicates { perform(discovery.duplicatesGone()) }
        perform(
            ownership.finishReading(
                isPlaceKnown: isEverythingKnown,
                isIdle: isIdle,
                unless: isExpected
            )
        )
    }
}
