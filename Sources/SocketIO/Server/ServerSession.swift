/// The server's side of one client: Engine.IO's transports and Socket.IO's namespace `/`.
///
/// Every call returns what to do, in that order. After ``Action/ended(_:)`` no call returns anything.
/// Times are monotonic milliseconds.
///
/// A session has at most one WebSocket at a time, the last one that ``socketOpened(now:)`` did not refuse;
/// ``received(_:now:)`` and ``socketClosed(now:)`` are about that one, and a socket that ``Action/closeSocket`` was
/// returned for is reported no more.
/// - Source: flare-protocol 3; Engine.IO protocol, revision 4; Socket.IO protocol, revision 5.
package struct ServerSession: Sendable {
    /// How often a client and its server make sure of each other, in milliseconds.
    package struct Heartbeat: Sendable, Hashable {
        /// Between two pings: the client's in revision 3, the server's in revision 4.
        package var interval: Int
        /// How long past that (3), or past a ping (4), the client may be silent.
        package var timeout: Int

        package init(interval: Int, timeout: Int) {
            self.interval = interval
            self.timeout = timeout
        }
    }

    package struct Settings: Sendable, Hashable {
        /// Revision 3; as the original server has it.
        package var three = Heartbeat(interval: 25_000, timeout: 60_000)
        /// Revision 4; as Socket.IO 4 has it.
        package var four = Heartbeat(interval: 25_000, timeout: 20_000)
        /// How long the WebSocket of an upgrade may stay unused, in milliseconds.
        package var upgradeTimeout = 10_000
        package var limits = EngineLimits()

        package init() {}

        package func heartbeat(_ revision: EngineRevision) -> Heartbeat {
            revision == .three ? three : four
        }
    }

    package enum Transport: Sendable, Hashable { case polling, websocket }

    /// The answer to an HTTP request.
    package enum Answer: Sendable, Hashable {
        /// Status 200.
        case payload([UInt8], contentType: String)
        /// Status 200, `text/html`, the text `ok`.
        case ok
        case error(EngineHTTPError)
        /// A bare status: 500 for a poll while another waits.
        case status(Int)
    }

    package enum Action: Sendable, Hashable {
        /// To the GET that waits, or else to the one just given.
        case answerPoll(Answer)
        /// To the POST just given.
        case answerPost(Answer)
        /// On the WebSocket.
        case send(EngineFrame)
        case closeSocket
        /// The client is in `/`: events may come and be sent.
        case joined
        /// It is no longer: its subscriptions end.
        case left
        /// The text of an event's JSON: a list, if the client keeps to the rules. Not looked at.
        case event(json: [UInt8])
        /// The session is to be forgotten.
        case ended(SessionEnd)
    }

    /// How far a WebSocket beside polling has come.
    struct Probe: Sendable {
        /// It pinged and was answered; polls no longer wait.
        var isAnswered = false
        var deadline: Int
    }

    package let id: String
    package let revision: EngineRevision
    let settings: Settings

    package internal(set) var transport: Transport
    package internal(set) var isJoined = false
    var isEnded = false
    /// The form that the waiting poll wants.
    var waitingPoll: PollingFormat?
    var probe: Probe?
    /// Packets for the next poll, as the text of WebSocket messages.
    var queue: [[UInt8]] = []
    package internal(set) var queuedBytes = 0
    /// Binary messages to come that belong to an event already thrown away.
    var attachmentsToSkip = 0
    /// When the client will have been silent for too long.
    var patience: Int
    /// Revision 4: when to ping; `nil` while a pong is awaited.
    var nextPing: Int?

    private init(
        id: String,
        revision: EngineRevision,
        transport: Transport,
        settings: Settings,
        now: Int
    ) {
        self.id = id
        self.revision = revision
        self.transport = transport
        self.settings = settings
        patience = now
    }

    /// Opens a session.
    ///
    /// By polling the opening GET itself is answered; by WebSocket the open packet is sent. In revision 3 the
    /// client is then in `/` without asking.
    /// - Parameters:
    ///   - id: 20 characters of A-Z, a-z, 0-9, `-` and `_`, not to be guessed.
    ///   - form: Of the opening GET; of no account by WebSocket.
    package static func open(
        id: String,
        revision: EngineRevision,
        transport: Transport,
        form: PollingFormat,
        settings: Settings,
        now: Int
    ) -> (ServerSession, [Action]) {
        var session = ServerSession(
            id: id,
            revision: revision,
            transport: transport,
            settings: settings,
            now: now
        )
        session.restartPatience(now)
        var actions: [Action] = []
        if transport == .polling { session.waitingPoll = form }
        session.post(session.handshake, &actions)
        session.flush(&actions)
        if revision == .three { session.join(&actions) }
        return (session, actions)
    }

    private var handshake: [UInt8] {
        let heartbeat = settings.heartbeat(revision)
        let upgrades = transport == .polling ? #""websocket""# : ""
        var text = #"0{"sid":"\#(id)","upgrades":[\#(upgrades)],"pingInterval":\#(heartbeat.interval),"#
        text += #""pingTimeout":\#(heartbeat.timeout)"#
        if revision == .four { text += #","maxPayload":\#(settings.limits.maximumPacketBytes)"# }
        return Array((text + "}").utf8)
    }

    /// How many packets wait for the next poll.
    package var queuedPackets: Int { queue.count }

    /// Whether an event can be written straight to the socket, without a call.
    package var isDirect: Bool { isJoined && transport == .websocket }

    /// Sends an event to a client that is in `/`; nothing to one that is not.
    ///
    /// Ends the session when more waits than the limits allow.
    /// - Parameter frame: As ``SocketPacket/eventFrame(name:argument:)`` makes it.
    package mutating func send(_ frame: [UInt8], now: Int) -> [Action] {
        guard isJoined else { return [] }
        if transport == .websocket { return [.send(.text(frame))] }
        var actions: [Action] = []
        post(frame, &actions)
        settle(&actions)
        return actions
    }

    /// Ends the session from our side: a close packet, on the socket or to the waiting poll.
    package mutating func end(_ reason: SessionEnd, now: Int) -> [Action] {
        guard !isEnded else { return [] }
        var actions: [Action] = []
        if transport == .websocket { post([EnginePacket.Kind.close.digit], &actions) }
        finish(reason, &actions)
        return actions
    }
}
