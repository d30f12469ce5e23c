/// The server's side of one session: Engine.IO's transports and Socket.IO's namespace `/`.
///
/// Every call returns actions to perform in order. After ``Action/ended(_:)`` no call returns any.
/// Times are monotonic milliseconds.
///
/// A session has at most one WebSocket at a time, the last that ``socketOpened(now:)`` did not refuse;
/// ``received(_:now:)`` and ``socketClosed(now:)`` refer to it. A socket closed by ``Action/closeSocket``
/// must not be reported any more.
/// - Source: contrib/contract/flare-protocol.md, "3. Engine.IO and Socket.IO"; Engine.IO protocol, revision
///   4; Socket.IO protocol, revision 5.
package struct ServerSession: Sendable {
    /// The timing of pings, milliseconds.
    package struct Heartbeat: Sendable, Hashable {
        /// Between two pings: the client's in revision 3, the server's in revision 4.
        package var interval: Int
        /// How long after the interval (3), or after a ping (4), the client may be silent.
        package var timeout: Int

        package init(interval: Int, timeout: Int) {
            self.interval = interval
            self.timeout = timeout
        }
    }

    package struct Settings: Sendable, Hashable {
        /// Revision 3, with the values of the original server.
        package var three = Heartbeat(interval: 25_000, timeout: 60_000)
        /// Revision 4, with the values of Socket.IO 4.
        package var four = Heartbeat(interval: 25_000, timeout: 20_000)
        /// How long the WebSocket of an upgrade may stay unused, milliseconds.
        package var upgradeTimeout = 10_000
        package var limits = EngineLimits()

        package init() {}
    }

    package enum Transport: Sendable, Hashable { case polling, websocket }

    /// The answer to an HTTP request.
    package enum Answer: Sendable, Hashable {
        /// Status 200.
        case payload([UInt8], contentType: String)
        /// Status 200, `text/html`, the text `ok`.
        case ok
        case error(EngineHTTPError)
        /// Another status: 500 for a second poll while one is held.
        case status(Int)
    }

    package enum Action: Sendable, Hashable {
        /// Answers the held GET, or the current one.
        case answerPoll(Answer)
        /// Answers the current POST.
        case answerPost(Answer)
        /// Sends on the WebSocket.
        case send(EngineFrame)
        case closeSocket
        /// The client is in `/`: events may be sent and received.
        case joined
        /// The client left `/`: its subscriptions end.
        case left
        /// The JSON text of an event, unparsed; a list, if the client follows the protocol.
        case event(json: [UInt8])
        /// The session can be discarded.
        case ended(SessionEnd)
    }

    /// The progress of a WebSocket beside polling.
    struct Probe: Sendable {
        /// Its ping was answered; polls are no longer held.
        var isAnswered = false
        var deadline: Int
    }

    package let id: String
    package let revision: EngineRevision
    let settings: Settings

    package internal(set) var transport: Transport
    package internal(set) var isJoined = false
    var isEnded = false
    /// The format of the held poll's answer.
    var waitingPoll: PollingFormat?
    var probe: Probe?
    /// Packets for the next poll, as the text of WebSocket messages.
    var queue: [[UInt8]] = []
    package internal(set) var queuedBytes = 0
    /// Remaining binary messages of a discarded event.
    var attachmentsToSkip = 0
    /// When the client's silence becomes a timeout.
    var patience: Int
    /// Revision 4: when to send a ping; `nil` while a pong is awaited.
    var nextPing: Int?

    /// Opens a session.
    ///
    /// With polling the opening GET is answered; with a WebSocket the open packet is sent. In revision 3 the
    /// client is then in `/` without request.
    /// - Parameters:
    ///   - id: 20 unpredictable characters of A-Z, a-z, 0-9, `-` and `_`.
    ///   - form: The format of the opening GET; ignored for a WebSocket.
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
            settings: settings,
            transport: transport,
            patience: now
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
        let heartbeat = revision == .three ? settings.three : settings.four
        let upgrades = transport == .polling ? #""websocket""# : ""
        var text = #"0{"sid":"\#(id)","upgrades":[\#(upgrades)],"pingInterval":\#(heartbeat.interval),"#
        text += #""pingTimeout":\#(heartbeat.timeout)"#
        if revision == .four { text += #","maxPayload":\#(settings.limits.maximumPacketBytes)"# }
        return Array((text + "}").utf8)
    }

    /// The number of packets queued for the next poll.
    package var queuedPackets: Int { queue.count }

    /// Whether events can be written directly to the socket, without a call.
    package var isDirect: Bool { isJoined && transport == .websocket }

    /// Sends an event to a client in `/`; does nothing for another.
    ///
    /// Ends the session when the queue exceeds the limits.
    /// - Parameter frame: From ``SocketPacket/eventFrame(name:argument:)``.
    package mutating func send(_ frame: [UInt8], now: Int) -> [Action] {
        guard isJoined else { return [] }
        if transport == .websocket { return [.send(.text(frame))] }
        var actions: [Action] = []
        post(frame, &actions)
        settle(&actions)
        return actions
    }

    /// Ends the session from this side: sends a close packet on the socket or to the held poll.
    package mutating func end(_ reason: SessionEnd, now: Int) -> [Action] {
        guard !isEnded else { return [] }
        var actions: [Action] = []
        if transport == .websocket { post([EnginePacket.Kind.close.digit], &actions) }
        finish(reason, &actions)
        return actions
    }
}
