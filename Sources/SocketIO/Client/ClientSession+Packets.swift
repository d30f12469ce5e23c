// Received packets, by websocket or polling.
// - Source: contrib/contract/flare-protocol.md, "3.1 Handshake"; "3.2 Packets".
extension ClientSession {
    package mutating func socketOpened(now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        switch carrier {
        case .probing:
            let probe = EnginePacket(.ping, .text(Array("probe".utf8)))
            return [.send(probe.frame(revision ?? approach.revision))]
        case .polling: return [.closeSocket]
        case .switching, .websocket: return []
        }
    }

    /// The websocket was closed, or could not be opened.
    package mutating func socketClosed(_ reason: ClientSessionEnd = .connectionClosed, now: Int) -> [Action] {
        switch carrier {
        case .websocket: end(reason)
        case .probing, .switching: stayWithPolling(now: now)
        case .polling: []
        }
    }

    /// A message arrived on the websocket.
    package mutating func received(_ frame: EngineFrame, now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        let packet: EnginePacket
        do {
            let limit = settings.limits.maximumPacketBytes
            packet = try EnginePacket(frame, revision ?? approach.revision, limit: limit)
        } catch {
            return end(.malformed("\(error)"))
        }
        switch carrier {
        case .websocket, .switching: return handle(packet, now: now)
        case .probing: return probed(packet, now: now)
        case .polling: return []
        }
    }

    mutating func handle(_ packet: EnginePacket, now: Int) -> [Action] {
        if handshake != nil { silentBy = now + patience }
        switch packet.kind {
        case .open: return opened(packet.payload, now: now)
        case .close: return end(.serverClosed)
        case .ping: return send(EnginePacket(.pong, packet.payload))
        case .pong, .upgrade, .noop: return []
        case .message:
            switch packet.payload {
            case .text(let text): return handleMessage(text, now: now)
            case .binary:
                attachmentsToSkip = max(0, attachmentsToSkip - 1)
                return []
            }
        }
    }

    private mutating func opened(_ payload: EngineFrame, now: Int) -> [Action] {
        guard phase == .opening, case .text(let json) = payload else {
            return end(.malformed("an open packet in an open session"))
        }
        guard let handshake = ClientHandshake(json: json) else {
            return end(.malformed("an open packet without a session id"))
        }
        self.handshake = handshake
        phase = .open
        if revision == nil, handshake.maximumPayloadBytes != nil { revision = .four }
        silentBy = now + patience
        switch revision {
        case .four: return send(.connect)
        case .three: return []
        case nil:
            announceAt = now + settings.revisionPatience
            return []
        }
    }

    /// Handles a Socket.IO packet.
    private mutating func handleMessage(_ text: [UInt8], now: Int) -> [Action] {
        let packet: SocketPacket
        do {
            packet = try SocketPacket(parsing: text)
        } catch {
            return end(.malformed("\(error)"))
        }
        attachmentsToSkip = 0
        guard packet.namespace == "/" else { return [] }
        switch packet.kind {
        case .connect: return joined(packet, now: now)
        case .disconnect: return end(.turnedAway("it disconnected us from the namespace /"))
        case .error: return end(.turnedAway(String(decoding: packet.json.prefix(200), as: UTF8.self)))
        case .event: return phase == .joined ? [.event(json: packet.json)] : []
        // Flare messages have no binary parts, and none of ours requests an acknowledgement.
        case .binaryEvent, .binaryAck:
            let limit = settings.limits.maximumAttachments
            guard packet.attachments <= limit else {
                let error = EngineError.tooManyAttachments(announced: packet.attachments, limit: limit)
                return end(.malformed("\(error)"))
            }
            attachmentsToSkip = packet.attachments
            return []
        case .ack: return []
        }
    }

    private mutating func joined(_ packet: SocketPacket, now: Int) -> [Action] {
        guard phase == .open, let handshake else { return [] }
        // Only revision 4 sends our session id.
        let spoken: EngineRevision = packet.json.first == UInt8(ascii: "{") ? .four : .three
        if !approach.takesEither, spoken == .three, approach.revision == .four {
            return end(.malformed("it uses revision 3 of Engine.IO, but 4 is configured"))
        }
        revision = revision ?? spoken
        announceAt = nil
        phase = .joined
        silentBy = now + patience
        if revision == .three { pingAt = now + handshake.pingInterval }
        return [.joined(revision ?? spoken)] + upgradeIfOffered(now: now)
    }
}
