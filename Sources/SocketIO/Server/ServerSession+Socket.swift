extension ServerSession {
    /// A WebSocket opened for this session: the upgrade begins.
    ///
    /// Refused with ``Action/closeSocket`` for the new socket when the session already has one.
    package mutating func socketOpened(now: Int) -> [Action] {
        guard !isEnded else { return [] }
        guard transport == .polling, probe == nil else { return [.closeSocket] }
        probe = Probe(deadline: now + settings.upgradeTimeout)
        return []
    }

    /// A message arrived on the WebSocket.
    package mutating func received(_ frame: EngineFrame, now: Int) -> [Action] {
        guard !isEnded else { return [] }
        var actions: [Action] = []
        let limit = settings.limits.maximumPacketBytes
        do throws(EngineError) {
            if transport == .websocket {
                try handle(EnginePacket(frame, revision, limit: limit), now, &actions)
            } else if probe != nil {
                probed(try EnginePacket(frame, revision, limit: limit), now, &actions)
            }
        } catch {
            // An invalid probe closes the socket, not the session.
            if transport == .websocket {
                finish(.protocolError(error.description), &actions)
            } else {
                probe = nil
                actions.append(.closeSocket)
            }
        }
        settle(&actions)
        return actions
    }

    /// The WebSocket closed: the session or the upgrade ends.
    package mutating func socketClosed(now: Int) -> [Action] {
        guard !isEnded else { return [] }
        probe = nil
        guard transport == .websocket else { return [] }
        var actions: [Action] = []
        finish(.transportClosed, socketIsOpen: false, &actions)
        return actions
    }

    private mutating func probed(_ packet: EnginePacket, _ now: Int, _ actions: inout [Action]) {
        if packet == EnginePacket(.ping, .text(Array("probe".utf8))) {
            probe?.isAnswered = true
            actions.append(.send(EnginePacket(.pong, packet.payload).frame(revision)))
        } else if packet.kind == .upgrade {
            upgrade(now, &actions)
        } else {
            probe = nil
            actions.append(.closeSocket)
        }
    }

    /// Switches to the WebSocket, and sends the queued packets on it.
    private mutating func upgrade(_ now: Int, _ actions: inout [Action]) {
        releasePoll(&actions)
        probe = nil
        transport = .websocket
        if revision == .three { restartPatience(now) }
        actions += queue.map { .send(.text($0)) }
        queue = []
        queuedBytes = 0
    }
}
