import Logging
import Threading

extension MQTTClient {
    func enqueue(_ message: MQTTMessage, waiter: MQTTOutbox.Waiter?) -> MQTTPublishOutcome {
        if let problem = TopicRules.validationError(message) {
            state.withLock { $0.counters.refused += 1 }
            return .refused(problem)
        }
        let (admission, completions, isFlushPlanned, loop) = state.withLock {
            state -> (MQTTOutbox.Admission, [MQTTOutbox.Completion], Bool, LoopExecutor?) in
            guard state.phase != .ended else { return (.refuse(.stopped), [], true, nil) }
            let admission = state.outbox.admit(message, waiter: waiter)
            switch admission {
            case .drop: state.counters.dropped += 1
            case .refuse: state.counters.refused += 1
            case .accept: return (admission, state.sendAll(), state.isFlushPlanned, state.loop)
            }
            return (admission, [], true, nil)
        }
        for completion in completions { completion.resumeWaiter() }
        if !isFlushPlanned { planFlush(loop) }
        switch admission {
        case .drop: return .dropped
        case .refuse(let error): return .refused(error)
        // Of QoS 0, as the others wait for the next link.
        case .accept: return completions.contains { $0.error == .notConnected } ? .dropped : .queued
        }
    }

    /// Writes what was published, without waiting for more.
    package func flush() { state.withLock { $0.link }?.connection.flush() }

    /// Writes what was published: at once, or when the loop rests if it publishes, as more may follow.
    private func planFlush(_ loop: LoopExecutor?) {
        guard let loop, loop.isCurrent else { return flush() }
        state.withLock { $0.isFlushPlanned = true }
        loop.performAtRest { [weak self] in
            self?.state.withLock { $0.isFlushPlanned = false }
            self?.flush()
        }
    }

    func acknowledged(_ id: UInt16, _ code: Int32, over number: UInt64) {
        finished { $0.acknowledged(id, link: number, code: code).map { [$0] } ?? [] }
    }

    func written(_ count: Int, over number: UInt64) {
        finished { $0.written(count, link: number) }
    }

    /// Some publications are finished; sends those for which the broker has room now.
    ///
    /// The connection writes them after what it is doing.
    private func finished(_ finish: (inout MQTTOutbox) -> [MQTTOutbox.Completion]) {
        let (completions, hasDrained, isFirst) = state.withLock {
            state -> ([MQTTOutbox.Completion], Bool, Bool) in
            var completions = finish(&state.outbox)
            var isFirst = false
            for completion in completions {
                state.counters.count(completion)
                if state.recordRefusal(of: completion) { isFirst = true }
            }
            completions += state.sendAll()
            return (completions, state.outbox.hasDrained(), isFirst)
        }
        for completion in completions {
            if let error = completion.error { logger.debug("\(error)") }
            completion.resumeWaiter()
        }
        if isFirst { report(.refused) }
        if hasDrained { report(.drained) }
    }

    func received(_ message: MQTTMessage, _ subscriptions: [UInt32]) {
        let readers = state.withLock { state in
            state.counters.received += 1
            return state.subscriptions.readers(of: message.topic, identifiers: subscriptions)
        }
        for reader in readers {
            guard !reader.receive(message) else { continue }
            let lost = state.withLock { state in
                state.counters.lost += 1
                return state.counters.lost
            }
            // At 1, 2, 4, 8, …: a reader that is too slow loses many messages.
            if lost.nonzeroBitCount == 1 {
                logger.error("\(lost) messages lost: nobody read \(message.topic) in time")
            }
        }
    }
}

extension MQTTClient.State {
    /// Passes to the connection what may be sent; it is to be flushed then.
    ///
    /// - Returns: What cannot be sent.
    mutating func sendAll() -> [MQTTOutbox.Completion] {
        guard let link else { return [] }
        var failed: [MQTTOutbox.Completion] = []
        while let outgoing = outbox.next() {
            guard !link.connection.send(outgoing), let completion = outbox.unsendable(outgoing) else {
                continue
            }
            counters.dropped += 1
            failed.append(completion)
        }
        return failed
    }

    /// Records the broker's refusal for ``MQTTClient/drainRefusals()``.
    ///
    /// - Returns: Whether it is the first since the last call of that, and is to be reported.
    mutating func recordRefusal(of completion: MQTTOutbox.Completion) -> Bool {
        guard case .refusedByBroker(let topic, let code, let reason)? = completion.error else {
            return false
        }
        let isFirst = refusals.isEmpty
        // As many as may be in flight; further ones are similar.
        if refusals.count < 10_000 { refusals[topic] = "\(reason) (code \(code))" }
        return isFirst
    }
}

extension MQTTCounters {
    /// A publication was acknowledged, written (QoS 0), or refused by the broker.
    fileprivate mutating func count(_ completion: MQTTOutbox.Completion) {
        if completion.error == nil { sent += 1 } else { refusedByBroker += 1 }
    }
}
