extension ServerSession {
    /// A GET: answered at once when packets are queued, otherwise held.
    package mutating func poll(_ form: PollingFormat, now: Int) -> [Action] {
        guard !isEnded else { return [] }
        guard transport == .polling else { return [.answerPoll(.error(.badRequest))] }
        var actions: [Action] = []
        if waitingPoll != nil {
            answerPoll([[EnginePacket.Kind.close.digit]], &actions)
            actions.append(.answerPoll(.status(500)))
            finish(.protocolError("a second poll while one waits"), &actions)
            return actions
        }
        waitingPoll = form
        settle(&actions)
        return actions
    }

    /// The connection of the held GET is gone; packets stay queued for the next one.
    package mutating func pollWentAway() {
        waitingPoll = nil
    }

    /// A POST, answered after its events, so that their handling can delay the answer.
    ///
    /// An invalid body is answered with `ok` and ends the session, as in the original server.
    package mutating func post(_ body: [UInt8], _ form: PollingFormat, now: Int) -> [Action] {
        guard !isEnded else { return [] }
        guard transport == .polling else { return [.answerPost(.error(.badRequest))] }
        var actions: [Action] = []
        var end: SessionEnd?
        do throws(EngineError) {
            for packet in try PollingPayload.decode(body, revision, form, limits: settings.limits) {
                if packet.kind == .close {
                    end = .clientClosed
                    break
                }
                try handle(packet, now, &actions)
            }
        } catch {
            end = .protocolError(error.description)
        }
        actions.append(.answerPost(.ok))
        if let end { finish(end, &actions) }
        settle(&actions)
        return actions
    }

    /// Sends or queues a packet, given as the text of a WebSocket message.
    mutating func post(_ packet: [UInt8], _ actions: inout [Action]) {
        switch transport {
        case .websocket: actions.append(.send(.text(packet)))
        case .polling:
            queue.append(packet)
            queuedBytes += packet.count
        }
    }

    /// Ends every call: answers the held poll with queued packets, and checks the limits of the queue.
    mutating func settle(_ actions: inout [Action]) {
        guard !isEnded else { return }
        flush(&actions)
        if waitingPoll != nil, probe?.isAnswered == true { releasePoll(&actions) }
        if queue.count > settings.limits.maximumQueuedPackets
            || queuedBytes > settings.limits.maximumQueuedBytes
        {
            finish(.tooMuchWaiting, &actions)
        }
    }

    /// Answers the held poll with queued packets, as many as one body may contain.
    mutating func flush(_ actions: inout [Action]) {
        guard waitingPoll != nil, !queue.isEmpty else { return }
        let most = min(queue.count, max(1, settings.limits.maximumPacketsOfOwnPayload))
        var (count, bytes) = (1, queue[0].count)
        // Perhaps nobody reads it.
        while count < most, bytes + queue[count].count <= settings.limits.maximumPacketBytes {
            bytes += queue[count].count
            count += 1
        }
        answerPoll(queue.prefix(count), &actions)
        queuedBytes -= bytes
        queue.removeFirst(count)
    }

    /// Answers the held poll, if any, with a noop packet.
    mutating func releasePoll(_ actions: inout [Action]) {
        answerPoll([[EnginePacket.Kind.noop.digit]], &actions)
    }

    mutating func answerPoll(_ packets: ArraySlice<[UInt8]>, _ actions: inout [Action]) {
        guard let form = waitingPoll else { return }
        waitingPoll = nil
        let contentType = (revision == .three ? form : .text).contentType
        let body = PollingPayload.encode(texts: packets, revision, form)
        actions.append(.answerPoll(.payload(body, contentType: contentType)))
    }

    /// Ends the session, with actions in an order that both sides can process.
    mutating func finish(_ reason: SessionEnd, socketIsOpen: Bool = true, _ actions: inout [Action]) {
        let farewell: EnginePacket.Kind = reason == .clientClosed ? .noop : .close
        answerPoll([[farewell.digit]], &actions)
        if socketIsOpen, transport == .websocket || probe != nil { actions.append(.closeSocket) }
        if isJoined { actions.append(.left) }
        actions.append(.ended(reason))
        isEnded = true
        isJoined = false
        probe = nil
        queue = []
        queuedBytes = 0
    }
}
