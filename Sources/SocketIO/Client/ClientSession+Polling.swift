// The polling transport, and the upgrade from polling to a websocket.
// - Source: contrib/contract/flare-protocol.md, "3.3 Polling"; "3.5 Upgrade".
extension ClientSession {
    /// The pause after a poll without packets, milliseconds.
    private static let emptyPollPause = 100
    /// A poll without packets that is answered earlier than this was not held, milliseconds.
    private static let shortestHold = 1000
    /// Most consecutive polls without packets that were not held.
    private static let maximumEmptyPolls = 10

    mutating func poll(now: Int) -> [Action] {
        isPolling = true
        pollAt = nil
        polledAt = now
        return [.poll(query: query(.polling))]
    }

    /// A poll was answered.
    package mutating func polled(_ answer: Answer, now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        isPolling = false
        switch answer {
        case .failure(let reason): return end(reason)
        case .success((let status, _, let body)) where status != 200:
            return end(.refused(status: status, Self.excerpt(body)))
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
        for packet in packets where phase != .ended { actions += handle(packet, now: now) }
        guard phase != .ended else { return actions }
        switch carrier {
        case .polling, .probing:
            actions += pollAgain(isEmpty: packets.allSatisfy { $0.kind == .noop }, now: now)
        case .switching: actions += switchToWebsocket()
        case .websocket: break
        }
        return actions
    }

    /// Polls again, with a pause when the last answer had no packets.
    ///
    /// A server releases polls while a websocket is probed. One that releases every poll waits for a
    /// websocket that was lost, and sends no packets any more: python-engineio does so when it fails during
    /// the probe.
    private mutating func pollAgain(isEmpty: Bool, now: Int) -> [Action] {
        guard isEmpty else {
            emptyPolls = 0
            return poll(now: now)
        }
        // While it is probed, the server releases the poll for the upgrade.
        if carrier != .probing { emptyPolls = now - polledAt < Self.shortestHold ? emptyPolls + 1 : 0 }
        guard emptyPolls < Self.maximumEmptyPolls else { return end(.stranded) }
        pollAt = now + Self.emptyPollPause
        return []
    }

    /// A post was answered.
    package mutating func posted(_ answer: Answer, now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        isPosting = false
        switch answer {
        case .failure(let reason): return end(reason)
        case .success((let status, _, let body)) where status != 200:
            return end(.refused(status: status, Self.excerpt(body)))
        case .success:
            return if case .switching = carrier { switchToWebsocket() } else { postWaiting() }
        }
    }

    /// Posts queued packets, as many as the server accepts at once.
    mutating func postWaiting() -> [Action] {
        guard carrier == .polling || carrier == .probing, !isPosting, !outgoing.isEmpty, handshake != nil,
            let revision
        else { return [] }
        let limit = handshake?.maximumPayloadBytes ?? settings.limits.maximumPacketBytes
        var count = 0
        var bytes = 0
        for packet in outgoing.prefix(max(1, settings.limits.maximumPacketsOfOwnPayload)) {
            // Twice, for the overhead of framing and of the encoding of revision 3.
            bytes += packet.payload.bytes.count * 2 + 16
            guard count == 0 || bytes <= limit else { break }
            count += 1
        }
        let packets = Array(outgoing.prefix(count))
        outgoing.removeFirst(count)
        outgoingBytes -= packets.reduce(0) { $0 + $1.payload.bytes.count }
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

    /// The readable part of an error response.
    private static func excerpt(_ body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(200), as: UTF8.self)
        return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
    }

    // MARK: Upgrade

    /// Probes a websocket as soon as the session is joined.
    mutating func upgradeIfOffered(now: Int) -> [Action] {
        guard case .polling = carrier, approach.upgrades, handshake?.offersWebsocket == true else {
            return []
        }
        carrier = .probing
        upgradeBy = now + settings.upgradeTimeout
        return [.openSocket(query: query(.websocket))]
    }

    /// A message arrived on the websocket during the probe.
    mutating func probed(_ packet: EnginePacket, now: Int) -> [Action] {
        guard case .probing = carrier else { return [] }
        guard packet.kind == .pong, packet.payload == .text(Array("probe".utf8)) else {
            return [.closeSocket] + stayWithPolling(now: now)
        }
        carrier = .switching
        return switchToWebsocket()
    }

    /// Switches to the websocket when no polling request is pending; the server releases the last poll.
    private mutating func switchToWebsocket() -> [Action] {
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
