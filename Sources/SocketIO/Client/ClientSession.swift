/// The client's side of one session as a value that returns actions: Engine.IO's transports and Socket.IO's
/// namespace "/".
///
/// Revision 3: the server joins us to "/" by itself, and we send pings. Revision 4: we request "/", and the
/// server sends pings. The server's revision is configured or detected: with polling by the format of the
/// first body; on a websocket by `maxPayload` in the open packet, otherwise by who sends `40` first.
///
/// All times are monotonic milliseconds.
/// - Source: contrib/contract/flare-protocol.md, "3. Engine.IO and Socket.IO";
///   "13. Rules for a server and a client"; Engine.IO and Socket.IO protocols, revisions 3 to 5.
package struct ClientSession: Sendable {
    package struct Settings: Sendable, Hashable {
        /// Milliseconds until the server must have joined us.
        package var joinTimeout = 10_000
        /// Milliseconds until a websocket beside a polling session must be in use.
        package var upgradeTimeout = 10_000
        /// How much longer than a ping interval a server of revision 3 may be silent; its own timeout applies
        /// when it is shorter.
        package var silence = 20_000
        /// How long a server of unknown revision may take to join us by itself.
        package var revisionPatience = 300
        package var limits = EngineLimits()

        package init() {}
    }

    package enum Transport: Sendable, Hashable { case websocket, polling }

    /// A way to open a session.
    package struct Approach: Sendable, Hashable {
        package var transport: Transport
        /// The revision that we announce.
        package var revision: EngineRevision
        /// Whether the other revision is accepted when the server uses it.
        package var takesEither: Bool
        /// Whether a polling session is upgraded to a websocket when the server offers it.
        package var upgrades: Bool

        package init(_ transport: Transport, _ revision: EngineRevision, takesEither: Bool, upgrades: Bool) {
            self.transport = transport
            self.revision = revision
            self.takesEither = takesEither
            self.upgrades = upgrades
        }
    }

    package enum Action: Sendable, Hashable {
        /// Opens a websocket at the Socket.IO path; ``socketOpened(now:)`` or ``socketClosed(_:now:)``
        /// follows.
        case openSocket(query: String)
        /// Sends a GET that the server may hold for long; ``polled(_:now:)`` follows.
        case poll(query: String)
        /// Sends a POST; ``posted(_:now:)`` follows.
        case post(query: String, body: [UInt8], contentType: String)
        case send(EngineFrame)
        case closeSocket
        /// The session is in "/": events can be sent and received.
        case joined(EngineRevision)
        /// The JSON text of an event list, `["data",{…}]`; not parsed.
        case event(json: [UInt8])
        /// The session has ended; close everything that is open.
        case ended(ClientSessionEnd)
    }

    /// The answer to a poll or a post, or its failure.
    package typealias Answer = Result<(status: Int, contentType: String, body: [UInt8]), ClientSessionEnd>

    enum Phase: Sendable { case opening, open, joined, ended }

    /// The transport in use.
    enum Carrier: Sendable {
        case polling
        /// Polling, with a websocket beside it that is being probed.
        case probing
        /// The websocket passed the probe; it is used as soon as no polling request is pending.
        case switching
        case websocket
    }

    let approach: Approach
    let settings: Settings
    var phase = Phase.opening
    var carrier: Carrier
    /// `nil` while unknown.
    var revision: EngineRevision?
    var handshake: ClientHandshake?
    var isPolling = false
    /// When the poll was sent, and when the next one is due.
    var polledAt = 0
    var pollAt: Int?
    /// Consecutive polls without packets that were not held.
    var emptyPolls = 0
    var isPosting = false
    /// Packets for the next post.
    var outgoing: [EnginePacket] = []
    var outgoingBytes = 0
    /// Remaining binary parts of a skipped event.
    var attachmentsToSkip = 0

    var joinBy: Int
    var announceAt: Int?
    var upgradeBy: Int?
    var pingAt: Int?
    var silentBy: Int?

    package static func open(
        _ approach: Approach,
        settings: Settings = Settings(),
        now: Int
    ) -> (ClientSession, [Action]) {
        var session = ClientSession(
            approach: approach,
            settings: settings,
            carrier: approach.transport == .polling ? .polling : .websocket,
            revision: approach.takesEither ? nil : approach.revision,
            joinBy: now + settings.joinTimeout
        )
        switch approach.transport {
        case .websocket: return (session, [.openSocket(query: session.query(.websocket))])
        case .polling: return (session, session.poll(now: now))
        }
    }

    package var isJoined: Bool { phase == .joined }

    /// Whether packets are sent by websocket.
    package var isOnWebsocket: Bool { if case .websocket = carrier { true } else { false } }

    /// When to call ``tick(now:)`` next; `nil` when the session has ended.
    package var deadline: Int? {
        guard phase != .ended else { return nil }
        let joinBy = phase == .joined ? nil : joinBy
        return [joinBy, announceAt, upgradeBy, pollAt, pingAt, silentBy].compactMap(\.self).min()
    }

    /// Sends an event.
    ///
    /// Does nothing when the session is not in "/".
    /// - Parameter frame: From ``SocketPacket/eventFrame(name:argument:)``.
    package mutating func send(_ frame: [UInt8], now: Int) -> [Action] {
        guard phase == .joined else { return [] }
        return send(EnginePacket(.message, .text(Array(frame.dropFirst()))))
    }

    /// Ends the session from this side.
    package mutating func close() -> [Action] {
        guard phase != .ended else { return [] }
        // A websocket is just closed; the original server ignores a close packet there.
        guard case .polling = carrier, phase != .opening, let revision else { return end(.closedByUs) }
        let form = PollingFormat(of: revision)
        let body = PollingPayload.encode([EnginePacket(.close)], revision, form)
        return [.post(query: query(.polling), body: body, contentType: form.contentType)] + end(.closedByUs)
    }

    package mutating func tick(now: Int) -> [Action] {
        guard phase != .ended else { return [] }
        if phase != .joined, now >= joinBy {
            return end(.timedOut(waitingFor: "welcome", milliseconds: settings.joinTimeout))
        }
        if let silentBy, now >= silentBy {
            return end(.timedOut(waitingFor: "message", milliseconds: patience))
        }
        var actions: [Action] = []
        if let announceAt, now >= announceAt {
            self.announceAt = nil
            actions += send(.connect)
        }
        if let pingAt, now >= pingAt, let handshake {
            self.pingAt = now + handshake.pingInterval
            actions += send(EnginePacket(.ping))
        }
        if let upgradeBy, now >= upgradeBy {
            actions.append(.closeSocket)
            actions += stayWithPolling(now: now)
        }
        if let pollAt, now >= pollAt { actions += poll(now: now) }
        return actions
    }

    // MARK: Implementation

    mutating func end(_ reason: ClientSessionEnd) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        outgoing = []
        return [.ended(reason)]
    }

    /// How long the server may be silent.
    var patience: Int {
        guard let handshake else { return settings.joinTimeout }
        let timeout = handshake.pingTimeout
        return handshake.pingInterval + (revision == .four ? timeout : min(timeout, settings.silence))
    }

    /// Sends a packet with the transport in use.
    mutating func send(_ packet: EnginePacket) -> [Action] {
        guard phase != .ended else { return [] }
        if case .websocket = carrier { return [.send(packet.frame(revision ?? approach.revision))] }
        outgoing.append(packet)
        outgoingBytes += packet.payload.bytes.count
        guard outgoing.count <= settings.limits.maximumQueuedPackets,
            outgoingBytes <= settings.limits.maximumQueuedBytes
        else { return end(.tooMuchWaiting) }
        return postWaiting()
    }

    func query(_ transport: Transport) -> String {
        let name = transport == .polling ? "polling" : "websocket"
        let id = handshake.map { "&sid=\($0.id)" } ?? ""
        return "EIO=\((revision ?? approach.revision).rawValue)&transport=\(name)\(id)"
    }
}

extension EnginePacket {
    /// The request to join "/", which revision 4 requires.
    static let connect = EnginePacket(.message, .text(Array("0".utf8)))
}

extension PollingFormat {
    /// Revision 3 in binary format, whose lengths count bytes; revision 4 supports only text.
    init(of revision: EngineRevision) { self = revision == .three ? .binary : .text }
}
