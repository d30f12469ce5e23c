import Logging
import Threading

extension MQTTClient {
    func enqueue(_ message: MQTTMessage, waiter: MQTTOutbox.Waiter?) -> MQTTPublishOutcome {
        if let problem = TopicRules.validationError(message) {
            state.withLock { $0.counters.refused += 1 }
            return .refused(problem)
        }
        let (admission, link) = state.withLock { state -> (MQTTOutbox.Admission, State.Link?) in
            guard state.phase != .ended else { return (.refuse(.stopped), nil) }
            let admission = state.outbox.admit(message, waiter: waiter)
            switch admission {
            case .drop: state.counters.dropped += 1
            case .refuse: state.counters.refused += 1
            case .keep, .send: break
            }
            return (admission, state.link)
        }
        switch admission {
        case .keep: return .queued
        case .drop: return .dropped
        case .refuse(let error): return .refused(error)
        case .send(let ticket):
            guard let link, let error = send(ticket, message, over: link) else { return .queued }
            return error == .notConnected ? .dropped : .refused(error)
        }
    }

    /// Passes a message to the library.
    ///
    /// - Returns: Why it will not be sent; `nil` if it will.
    private func send(_ ticket: MQTTOutbox.Ticket, _ message: MQTTMessage, over link: State.Link)
        -> MQTTPublishError?
    {
        let result = link.connection.publish(
            message,
            maximumQoS: link.maximumQoS,
            hasRetained: link.hasRetained
        )
        let (completion, isFirst) = state.withLock { state -> (MQTTOutbox.Completion?, Bool) in
            switch result {
            case .accepted(let messageID):
                let completion = state.outbox.accepted(
                    ticket,
                    link: link.connection.number,
                    messageID: messageID
                )
                state.counters.count(completion)
                return (completion, state.recordRefusal(of: completion))
            case .retryLater, .rejected:
                var error: MQTTPublishError?
                if case .rejected(let reason) = result { error = reason }
                let completion = state.outbox.rejected(ticket, error: error)
                if completion?.error == .notConnected {
                    state.counters.dropped += 1
                } else if completion != nil {
                    state.counters.refused += 1
                }
                return (completion, false)
            }
        }
        completion?.resumeWaiter()
        if isFirst { report(.refused) }
        switch result {
        case .accepted: return nil
        case .retryLater, .rejected: return completion?.error
        }
    }

    /// The link accepts publications: the birth message is sent first, then the queued ones in order.
    func replay(over link: State.Link) {
        state.withLock { $0.outbox.linkUp(link.connection.number, birth: $0.configuration.birth) }
        while let (ticket, message) = state.withLock({ $0.outbox.nextInBacklog() }) {
            guard let error = send(ticket, message, over: link) else { continue }
            logger.error("dropped a queued publication: \(error)")
        }
    }

    func acknowledged(_ messageID: Int32, _ code: Int32, over number: UInt64) {
        let (completion, hasDrained, isFirst) = state.withLock {
            state -> (MQTTOutbox.Completion?, Bool, Bool) in
            let completion = state.outbox.acknowledged(messageID, link: number, code: code)
            state.counters.count(completion)
            return (completion, state.outbox.hasDrained(), state.recordRefusal(of: completion))
        }
        if let completion {
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
    /// Records the broker's refusal for ``MQTTClient/drainRefusals()``.
    ///
    /// - Returns: Whether it is the first since the last call of that, and is to be reported.
    fileprivate mutating func recordRefusal(of completion: MQTTOutbox.Completion?) -> Bool {
        guard case .refusedByBroker(let topic, let code, let reason)? = completion?.error else {
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
    fileprivate mutating func count(_ completion: MQTTOutbox.Completion?) {
        guard let completion else { return }
        if completion.error == nil { sent += 1 } else { refusedByBroker += 1 }
    }
}
