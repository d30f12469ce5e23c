import Logging
import Threading

extension MQTTClient {
    /// Runs one connection after another until stopped or cancelled.
    func keepConnected(_ configuration: MQTTConfiguration) async {
        var outage = Outage(warnAfter: .seconds(configuration.warnAfterSeconds))
        var backoff = configuration.reconnect
        var version = VersionChoice(configuration.protocolVersion)
        var will = WillChoice(configuration.will)
        var stalls = 0
        while goesOn {
            let started = ContinuousClock.now
            var current = configuration
            // One that never acknowledges a certain publication must not end links for ever at this pace.
            current.acknowledgementPatience *= 1 << min(stalls, 5)
            guard let end = await connection(current, version.next, will) else { return }
            let isWillRefused = will.ended(end, isLastVersion: version.isLast)
            let wasUp = finish(end, configuration.address, &outage, isRepeated: isWillRefused)
            if case .unacknowledged? = end.error { stalls += 1 } else if wasUp { stalls = 0 }
            if wasUp {
                backoff.linkLost(wasSteady: started.duration(to: .now) > configuration.steadyLink)
            }
            let isAtOnce = !isWillRefused && version.ended(end)
            guard !Task.isCancelled, goesOn else { return }
            if isWillRefused { continue }
            if isAtOnce {
                logger.info("\(configuration.address) does not speak MQTT 5: trying 3.1.1")
                continue
            }
            await pause(backoff.next(), configuration.address, &outage)
        }
    }

    /// Returns when the thread of the connection has looked for something to do since the call, or the task is cancelled;
    /// at once while there is no connection.
    package func nextRound() async {
        guard let connection = state.withLock({ $0.connection }) else { return }
        await connection.rounds.wait { connection.wakeUp.signal() }
    }

    /// Whether another connection follows with the same configuration.
    private var goesOn: Bool { state.withLock { $0.phase == .running && !$0.isReconnecting } }

    /// Runs one connection, from the attempt to its end.
    ///
    /// - Returns: `nil` when cancelled.
    private func connection(
        _ configuration: MQTTConfiguration,
        _ version: MQTTProtocolChoice,
        _ will: WillChoice
    ) async -> ConnectionEnd? {
        let (ends, end) = AsyncStream<ConnectionEnd>.makeStream()
        let (thread, threadEnd) = AsyncStream<Never>.makeStream()
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        let events = ConnectionEvents(
            accepted: { [weak self] in self?.accepted($0, session: $1, hasSubscriptionIdentifiers: $2) ?? []
            },
            up: { [weak self] in self?.linkUp($0, $1, number) },
            received: { [weak self] in self?.received($0, $1) },
            acknowledged: { [weak self] in self?.acknowledged($0, $1, over: number) },
            written: { [weak self] in self?.written($0, over: number) },
            ended: {
                end.yield($0)
                end.finish()
                threadEnd.finish()
            }
        )
        let connection: Connection
        var configuration = configuration
        configuration.will = will.next
        do throws(MQTTError) {
            connection = try Connection(
                number: number,
                configuration: configuration,
                version: version,
                will: will.strength,
                events: events,
                aroundRead: aroundRead,
                backlog: backlog,
                logger: logger
            )
        } catch {
            return .failed(error)
        }
        state.withLock { $0.connection = connection }
        connection.start()
        for await end in ends {
            connection.join()
            return end
        }
        connection.drop()
        // A separate task, because this one is cancelled. It blocks the thread only while a name is resolved.
        let hasEnded = await Task {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for await _ in thread {}
                    return !Task.isCancelled
                }
                group.addTask {
                    try? await Task.sleep(for: .seconds(1))
                    return false
                }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
        }.value
        if hasEnded { connection.join() } else { connection.abandon() }
        return nil
    }

    /// Notifies everything that depended on the connection.
    ///
    /// - Parameter isRepeated: Whether another attempt follows at once, whose end counts instead.
    /// - Returns: Whether the link was up.
    private func finish(
        _ end: ConnectionEnd,
        _ address: String,
        _ outage: inout Outage,
        isRepeated: Bool
    ) -> Bool {
        // The connection is released outside of the lock, because its end calls the library.
        let (given, wasUp, old) = state.withLock { state in
            let wasUp = state.isUp
            let old = (state.connection, state.link)
            state.isUp = false
            state.connection = nil
            state.link = nil
            if end != .closed { state.counters.failures += 1 }
            let given = state.outbox.linkDown(end.linkEnd)
            for completion in given {
                if completion.error == .notConnected {
                    state.counters.dropped += 1
                } else {
                    state.counters.refusedByBroker += 1
                    // Reported when there is a link again.
                    _ = state.recordRefusal(of: completion)
                }
            }
            return (given, wasUp, old)
        }
        _ = old
        var logged: Set<String> = []
        for completion in given {
            if let error = completion.error, error != .notConnected, logged.insert("\(error)").inserted {
                logger.error("\(error)")
            }
            completion.resumeWaiter()
        }
        if wasUp { outage.begin() }
        guard let error = end.error else {
            guard wasUp else { return false }
            logger.notice("the link to the broker at \(address) is closed")
            if state.withLock({ $0.isReconnecting }) {
                report(.disconnected(.reconfigured(address: address)))
            }
            return true
        }
        if isRepeated {
            logger.info("\(error): trying a last will of lower QoS, not retained, or none")
        } else if outage.isNewReason(error) {
            logger.warning("\(error)")
            report(.disconnected(error))
        } else {
            logger.debug("\(error)")
        }
        return wasUp
    }

    /// Waits for the next attempt, and logs a warning if the outage lasts.
    private func pause(_ duration: Duration, _ address: String, _ outage: inout Outage) async {
        logger.debug("next attempt in \(duration)")
        let end = ContinuousClock.now + duration
        if let due = outage.warningDue, due < end {
            try? await Task.sleep(until: due, clock: .continuous)
            guard !Task.isCancelled, let warning = outage.warning(address: address) else {
                return
            }
            logger.warning("\(warning)")
        }
        try? await Task.sleep(until: end, clock: .continuous)
    }

    private func accepted(
        _ connection: Connection,
        session: MQTTSession,
        hasSubscriptionIdentifiers: Bool
    ) -> [Subscriptions.Request] {
        state.withLock { state in
            guard state.connection === connection else { return [] }
            state.link = State.Link(
                connection: connection,
                hasSubscriptionIdentifiers: hasSubscriptionIdentifiers
            )
            return state.subscriptions.requests
        }
    }

    private func linkUp(_ session: MQTTSession, _ limits: MQTTLimits, _ number: UInt64) {
        let (link, completions, hasRefusals) = state.withLock {
            state -> (State.Link?, [MQTTOutbox.Completion], Bool) in
            guard let link = state.link, link.connection.number == number else { return (nil, [], false) }
            state.isUp = true
            state.counters.connects += 1
            let tooLarge = state.outbox.linkUp(
                number,
                limits,
                window: state.configuration.maximumInflight,
                birth: state.configuration.birth
            )
            state.counters.refused += tooLarge.count
            return (link, tooLarge + state.sendAll(), !state.refusals.isEmpty)
        }
        guard let link else { return }
        for completion in completions {
            if let error = completion.error { logger.error("dropped a queued publication: \(error)") }
            completion.resumeWaiter()
        }
        link.connection.flush()
        let version = session.version == .v5 ? "5" : "3.1.1"
        logger.notice("connected to the broker at \(configuration.address) with MQTT \(version)")
        report(.connected(session))
        if hasRefusals { report(.refused) }
    }
}

/// A period without a link, which is reported once if it lasts.
struct Outage {
    private let patience: Duration
    private var since = ContinuousClock.now
    private var hasWarned = false
    private var reason: MQTTError?

    init(warnAfter patience: Duration) { self.patience = patience }

    mutating func begin() {
        since = .now
        hasWarned = false
        reason = nil
    }

    /// Whether the link was up before, or failed for another reason.
    mutating func isNewReason(_ error: MQTTError) -> Bool {
        defer { reason = error }
        return reason != error
    }

    var warningDue: ContinuousClock.Instant? { hasWarned ? nil : since + patience }

    mutating func warning(address: String) -> String? {
        guard !hasWarned else { return nil }
        hasWarned = true
        let seconds = since.duration(to: .now).components.seconds
        return
            "no link to the broker at \(address) for \(seconds) s: \(reason.map { "\($0)" } ?? "no answer yet")"
    }
}
