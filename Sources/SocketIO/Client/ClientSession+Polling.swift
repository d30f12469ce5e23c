// The transport by polling, and the way from there to a websocket.
// - Source: flare-protocol 3.3 and 3.5.
extension ClientSession {
    /// The pause behind a poll that brought nothing, milliseconds.
    private static let emptyPollPause = 100
    /// A poll that brings nothing earlier than this was not held, milliseconds.
    private static let shortestHold = 1000
    /// How many polls in a row may bring nothing and not be held.
    private static let maximumEmptyPolls = 10

    mutating func poll(now: Int) -> [Action] {
        isPolling = true
        pollAt = nil
        polledAt = now
        return [.poll(query: query(.polling))]
    }

    /// What came of the poll.
    package mutating func polled(_ answer: Answer, now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        isPolling = false
        switch answer {
        case .failure(let reason): return end(reason)
        case .success((let status, _, let body)) where status != 200:
            return end(.refused(status: status, Self.words(body)))
        case .success((_, let contentType, let body)):
            return received(body, PollingFormat(contentType: contentType), now: now)
        }
    }

    private mutating func received(_ body: [UInt8], _ form: PollingFormat, now: Int) -> [Action] {
        let spoken = revision ?? (form == .text && body.starts(with: Array("0{".utf8)) ? .four : .three)
        let packets: [EnginePacket]
        do {
            packets = try PollingPayload.decode(body, spoken, form, limits: settings.limits)
        } catch {
            return end(.malformed("\(error)"))
        }
        revision = spoken
        var actions: [Action] = []
        for packet in packets where phase != .ended { actions += took(packet, now: now) }
        guard phase != .ended else { return actions }
        switch carrier {
        case .polling, .probing:
            actions += pollAgain(isEmpty: packets.allSatisfy { $0.kind == .noop }, now: now)
        case .switching: actions += takeWebsocket()
        case .websocket: break
        }
        return actions
    }

    /// Asks for more, at leisure when the last answer brought nothing.
    ///
    /// A server lets polls go while a websocket is tried. One that does so without end waits for a websocket that
    /// was lost, and tells nothing any more: that of python-engineio, when it breaks in the midst of the probe.
    private mutating func pollAgain(isEmpty: Bool, now: Int) -> [Action] {
        guard isEmpty else {
            emptyPolls = 0
            return poll(now: now)
        }
        switch carrier {
        // That is how the server makes way for the websocket.
        case .probing: break
        case .polling, .switching, .websocket:
            emptyPolls = now - polledAt < Self.shortestHold ? emptyPolls + 1 : 0
        }
        guard emptyPolls < Self.maximumEmptyPolls else { return end(.stranded) }
        pollAt = now + Self.emptyPollPause
        return []
    }

    /// What came of the post.
    package mutating func posted(_ answer: Answer, now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        isPosting = false
        switch answer {
        case .failure(let reason): return end(reason)
        case .success((let status, _, let body)) where status != 200:
            return end(.refused(status: status, Self.words(body)))
        case .success:
            return if case .switching = carrier { takeWebsocket() } else { postWaiting() }
        }
    }

    /// Posts what waits, as much as the server takes at once.
    mutating func postWaiting() -> [Action] {
        switch carrier {
        case .switching, .websocket: return []
        case .polling, .probing: break
        }
        guard !isPosting, !outgoing.isEmpty, handshake != nil, let revision else { return [] }
        let limit = handshake?.maximumPayloadBytes ?? settings.limits.maximumPacketBytes
        var count = 0
        var bytes = 0
        for packet in outgoing.prefix(max(1, settings.limits.maximumPacketsOfOwnPayload)) {
            // Twice, for what the framing and the encoding of revision 3 may add.
            bytes += packet.payload.count * 2 + 16
            guard count == 0 || bytes <= limit else { break }
            count += 1
        }
        let packets = Array(outgoing.prefix(count))
        outgoing.removeFirst(count)
        outgoingBytes -= packets.reduce(0) { $0 + $1.payload.count }
        isPosting = true
        let form = PollingFormat(of: revision)
        return [
            .post(
                query: query(.polling),
                body: PollingPayload.encode(packets, revision, form),
                contentType: form.contentType
            )
        ]
    }

    /// The readable part of an answer that refuses.
    private static func words(_ body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(200), as: UTF8.self)
        return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
    }

    // MARK: Upgrade

    /// A websocket is tried as soon as we are in.
    mutating func upgradeIfOffered(now: Int) -> [Action] {
        guard case .polling = carrier, approach.upgrades, handshake?.offersWebsocket == true else {
            return []
        }
        carrier = .probing
        upgradeBy = now + settings.upgradeTimeout
        return [.openSocket(query: query(.websocket))]
    }

    /// The websocket has said something before it is in use.
    mutating func probed(_ packet: EnginePacket, now: Int) -> [Action] {
        guard case .probing = carrier else { return [] }
        guard packet.kind == .pong, packet.payload == .text(Array("probe".utf8)) else {
            return [.closeSocket] + stayWithPolling(now: now)
        }
        carrier = .switching
        return takeWebsocket()
    }

    /// Takes the websocket when nothing is under way by polling any more; the server lets the last poll go.
    private mutating func takeWebsocket() -> [Action] {
        guard phase != .ended, !isPolling, !isPosting else { return [] }
        upgradeBy = nil
        pollAt = nil
        carrier = .websocket
        let waiting = outgoing
        outgoing = []
        outgoingBytes = 0
        var actions = send(EnginePacket(.upgrade))
        for packet in waiting { actions += send(packet) }
        return actions
    }

    mutating func stayWithPolling(now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        upgradeBy = nil
        carrier = .polling
        return (isPolling || pollAt != nil ? [] : poll(now: now)) + postWaiting()
    }
}

extension PollingFormat {
    init(contentType: String) {
        self = contentType.lowercased().hasPrefix("application/octet-stream") ? .binary : .text
    }
}
