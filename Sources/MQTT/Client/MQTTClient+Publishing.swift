import Logging
import Threading

extension MQTTClient {
    func hand(_ message: MQTTMessage, waiter: MQTTOutbox.Waiter?) -> MQTTPublishOutcome {
        if let problem = TopicRules.problem(of: message) {
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
        let handing = link.connection.publish(message, maximumQoS: link.maximumQoS)
        let (completion, isFirst) = state.withLock { state -> (MQTTOutbox.Completion?, Bool) in
            switch handing {
            case .taken(let messageID):
                let completion = state.outbox.handed(
                    ticket,
                    link: link.connection.number,
                    messageID: messageID
                )
                state.counters.count(completion)
                return (completion, state.keepRefusal(of: completion))
            case .later, .never:
                var error: MQTTPublishError?
                if case .never(let reason) = handing { error = reason }
                let completion = state.outbox.notHanded(ticket, error: error)
                if completion?.error == .notConnected {
                    state.counters.dropped += 1
                } else if completion != nil {
                    state.counters.refused += 1
                }
                return (completion, false)
            }
        }
        completion?.tell()
        if isFirst { report(.refused) }
        switch handing {
        case .taken: return nil
        case .later, .never: return completion?.error
        }
    }

    /// The link accepts publications: the queued ones are sent first, in order.
    func replay(over link: State.Link) {
        state.withLock { $0.outbox.linkUp(link.connection.number) }
        while let (ticket, message) = state.withLock({ $0.outbox.nextOfBacklog() }) {
            guard let error = send(ticket, message, over: link) else { continue }
            logger.error("a publication that waited for the broker is given up: \(error)")
        }
    }

    func acknowledged(_ messageID: Int32, _ code: Int32, over number: UInt64) {
        let (completion, hasDrained, isFirst) = state.withLock {
            state -> (MQTTOutbox.Completion?, Bool, Bool) in
            let completion = state.outbox.acknowledged(messageID, link: number, code: code)
            state.counters.count(completion)
            return (completion, state.outbox.hasDrained(), state.keepRefusal(of: completion))
        }
        if let completion {
            if let error = completion.error { logger.debug("\(error)") }
            completion.tell()
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
            guard !reader.pass(message) else { continue }
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
    /// Records the broker's refusal for ``MQTTClient/takeRefusals()``.
    ///
    /// - Returns: Whether it is the first since the last call of that, and is to be reported.
    fileprivate mutating func keepRefusal(of completion: MQTTOutbox.Completion?) -> Bool {
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
