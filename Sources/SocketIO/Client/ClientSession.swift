/// The client's side of one session: Engine.IO's transports and Socket.IO's namespace "/", as a value that
/// returns what to do.
///
/// Revision 3: the server connects us to "/" by itself, and we ping. Revision 4: we ask for "/", and the server
/// pings. Which of the two the server speaks is told beforehand or found out: by the form of the first body of
/// polling; on a websocket by `maxPayload` in the open packet, else by who says the first `40`.
///
/// All times are monotonic milliseconds.
/// - Source: flare-protocol 3 and 13; Engine.IO and Socket.IO protocols, revisions 3 to 5.
package struct ClientSession: Sendable {
    package struct Settings: Sendable, Hashable {
        /// Until the server has let us in.
        package var joinTimeout = 10_000
        /// Until a websocket beside a session of polling is in use.
        package var upgradeTimeout = 10_000
        /// How much longer than a ping's interval a server of revision 3 may say nothing; its own timeout counts
        /// when that is shorter.
        package var silence = 20_000
        /// How long a server of unknown revision has for connecting us by itself.
        package var revisionPatience = 300
        package var limits = EngineLimits()

        package init() {}
    }

    package enum Transport: Sendable, Hashable { case websocket, polling }

    /// One way to open a session.
    package struct Approach: Sendable, Hashable {
        package var transport: Transport
        /// What we say that we speak.
        package var revision: EngineRevision
        /// Whether the other revision is taken too, when the server turns out to speak it.
        package var takesEither: Bool
        /// Whether a session of polling moves to a websocket when the server offers that.
        package var upgrades: Bool

        package init(_ transport: Transport, _ revision: EngineRevision, takesEither: Bool, upgrades: Bool) {
            self.transport = transport
            self.revision = revision
            self.takesEither = takesEither
            self.upgrades = upgrades
        }
    }

    package enum Action: Sendable, Hashable {
        /// Opens a websocket at the path of Socket.IO; ``socketOpened(now:)`` or ``socketFailed(_:now:)`` follows.
        case openSocket(query: String)
        /// Sends a GET that may wait long; ``polled(_:now:)`` follows.
        case poll(query: String)
        /// Sends a POST; ``posted(_:now:)`` follows.
        case post(query: String, body: [UInt8], contentType: String)
        case send(EngineFrame)
        case closeSocket
        /// We are in "/": events come and can be sent.
        case joined(EngineRevision)
        /// The JSON text of an event list, `["data",{…}]`; not parsed.
        case event(json: [UInt8])
        /// Nothing comes after this; whatever is open is to be closed.
        case ended(ClientSessionEnd)
    }

    /// An answer to a poll or a post, or that there will be none.
    package typealias Answer = Result<(status: Int, contentType: String, body: [UInt8]), ClientSessionEnd>

    enum Phase: Sendable { case opening, open, joined, ended }

    /// What carries the packets.
    enum Carrier: Sendable {
        case polling
        /// Polling, with a websocket beside it that is being opened and asked.
        case probing
        /// The websocket has answered: as soon as nothing is under way by polling, it is taken.
        case switching
        case websocket
    }

    let approach: Approach
    let settings: Settings
    var phase = Phase.opening
    var carrier: Carrier
    /// `nil` while it is not known.
    var revision: EngineRevision?
    var handshake: ClientHandshake?
    var isPolling = false
    /// When the poll was sent, and when the next one is to be.
    var polledAt = 0
    var pollAt: Int?
    /// How many polls in a row have brought nothing, at once.
    var emptyPolls = 0
    var isPosting = false
    /// What waits for the next post.
    var outgoing: [EnginePacket] = []
    var outgoingBytes = 0
    /// Binary parts of an event that is passed over.
    var attachmentsToSkip = 0

    var joinBy: Int
    var announceAt: Int?
    var upgradeBy: Int?
    var pingAt: Int?
    var silentBy: Int?

    private init(_ approach: Approach, settings: Settings, now: Int) {
        self.approach = approach
        self.settings = settings
        carrier = approach.transport == .polling ? .polling : .websocket
        revision = approach.takesEither ? nil : approach.revision
        joinBy = now + settings.joinTimeout
    }

    package static func open(
        _ approach: Approach,
        settings: Settings = Settings(),
        now: Int
    ) -> (ClientSession, [Action]) {
        var session = ClientSession(approach, settings: settings, now: now)
        switch approach.transport {
        case .websocket: return (session, [.openSocket(query: session.query(.websocket))])
        case .polling: return (session, session.poll(now: now))
        }
    }

    package var isJoined: Bool { phase == .joined }

    /// Whether packets go by websocket.
    package var isOnWebsocket: Bool { if case .websocket = carrier { true } else { false } }

    /// When to ``tick(now:)`` next; `nil` when it has ended.
    package var deadline: Int? {
        guard phase != .ended else { return nil }
        let joinBy = phase == .joined ? nil : joinBy
        return [joinBy, announceAt, upgradeBy, pollAt, pingAt, silentBy].compactMap { $0 }.min()
    }

    /// Sends an event.
    ///
    /// Nothing when we are not in "/".
    /// - Parameter frame: As ``SocketPacket/eventFrame(name:argument:)`` makes it.
    package mutating func send(_ frame: [UInt8], now: Int) -> [Action] {
        guard phase == .joined else { return [] }
        return send(EnginePacket(.message, .text(Array(frame.dropFirst()))))
    }

    /// Ends the session from our side.
    package mutating func close() -> [Action] {
        guard phase != .ended else { return [] }
        // A websocket's end is told by closing it; the origin takes no notice of the packet there.
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
            return end(.timedOut(waitingFor: "sign of life", milliseconds: patience))
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

    // MARK: Inside

    mutating func end(_ reason: ClientSessionEnd) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        outgoing = []
        return [.ended(reason)]
    }

    /// How long the server may say nothing.
    var patience: Int {
        guard let handshake else { return settings.joinTimeout }
        let timeout = handshake.pingTimeout
        return handshake.pingInterval + (revision == .four ? timeout : min(timeout, settings.silence))
    }

    /// Sends a packet by what carries them now.
    mutating func send(_ packet: EnginePacket) -> [Action] {
        guard phase != .ended else { return [] }
        if case .websocket = carrier { return [.send(packet.frame(revision ?? approach.revision))] }
        outgoing.append(packet)
        outgoingBytes += packet.payload.count
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
    /// The wish to be let into "/", which revision 4 expects.
    static let connect = EnginePacket(.message, .text(Array("0".utf8)))
}

extension EnginePacket.Payload {
    var count: Int {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes.count
        }
    }
}

extension PollingFormat {
    /// Revision 3 in its binary form, whose lengths count bytes; revision 4 knows only text.
    init(of revision: EngineRevision) { self = revision == .three ? .binary : .text }
}
