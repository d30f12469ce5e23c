import Flare
import Logging
import NIOCore
import NIOPosix
import SocketIO
import Threading

/// Performs the actions of ``ClientSession`` and ``RequestPipeline`` on one event loop.
///
/// The loop is the actor's executor: input is handled in order, synchronously, before more is read.
actor FlareDriver: RequestDriver {
    /// The limit of invalid messages, after which the connection is closed.
    private static let maximumInvalidMessages = 100
    /// The limit of messages queued for a connection that is not writable.
    static let maximumUnwritten = 50
    /// How long a link must last to count as stable, milliseconds.
    private static let steadyMilliseconds = 5000

    let loop: any EventLoop
    let endpoint: Endpoint
    let logger: Logger
    private let emit: @Sendable (FlareEvent) -> Void
    private let chance: @Sendable () -> Double

    var pipeline: RequestPipeline
    private var approaches: TransportSequence
    private var backoff: Backoff

    /// The number of the attempt, by which late events of older ones are ignored.
    var attempt = 0
    var session: ClientSession?
    var socket: (any Channel)?
    var connections = HTTPConnections()
    var meter: ByteRateLimit
    /// When the attempt began.
    private var openedAt = 0
    private var invalidMessages = 0
    var isLimited = false
    /// Whether nothing is read from the WebSocket.
    var isPaused = false
    var unwritten = 0
    /// Set once the session is joined.
    private var liveness: LivenessCheck?
    /// The server's revision, until it has answered the first liveness request.
    private var unconfirmedRevision: EngineRevision?
    private var upSince: Int?
    private var roundReason: ClientSessionEnd?

    var isStopped = false
    var timer: (due: Int, task: Scheduled<Void>)?
    private var retry: Scheduled<Void>?
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
    private var closePost: CheckedContinuation<Void, Never>?

    var isIdle: Bool { pipeline.isIdle }
    var deadline: Int? {
        [session?.deadline, pipeline.deadline, liveness?.deadline].compactMap(\.self).min()
    }
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    init(
        _ endpoint: Endpoint,
        on loop: any EventLoop,
        logger: Logger,
        chance: @escaping @Sendable () -> Double,
        emit: @escaping @Sendable (FlareEvent) -> Void
    ) {
        let configuration = endpoint.configuration
        self.endpoint = endpoint
        self.loop = loop
        self.logger = logger
        self.chance = chance
        self.emit = emit
        pipeline = RequestPipeline(
            confirmationMilliseconds: max(1, Int(min(configuration.confirmationSeconds, 3600) * 1000))
        )
        approaches = TransportSequence(configuration.approaches)
        backoff = Backoff(
            minimumSeconds: configuration.reconnectMinimumSeconds,
            maximumSeconds: configuration.reconnectMaximumSeconds
        )
        meter = configuration.flowMeter(now: 0)
    }

    // MARK: From outside

    func start() { open() }

    func request(_ request: FlareRequest) {
        perform(pipeline.requested(request, now: now))
        update()
    }

    func stop() async {
        isStopped = true
        timer?.task.cancel()
        retry?.cancel()
        if var session {
            self.session = nil
            let actions = session.close()
            // Post the close packet, but wait at most a second for its response.
            for case .post(let query, let body, let type) in actions {
                await withCheckedContinuation { continuation in
                    closePost = continuation
                    loop.scheduleTask(in: .seconds(1)) { self.onExecutor { $0.closePosted() } }
                    postClose(query, body, type)
                }
            }
        }
        closeConnections()
        perform(pipeline.linkDown(reason: "the client is stopping").filter(\.isReply))
        resumeIdle()
    }

    func closePosted() {
        closePost?.resume()
        closePost = nil
    }

    // MARK: Attempts

    private func open() {
        guard !isStopped else { return }
        attempt += 1
        openedAt = now
        invalidMessages = 0
        isLimited = false
        unwritten = 0
        meter = endpoint.configuration.flowMeter(now: now)
        let (session, actions) = ClientSession.open(
            approaches.current,
            settings: endpoint.configuration.sessionSettings,
            now: now
        )
        self.session = session
        perform(actions)
        update()
    }

    func closeConnections() {
        // Ignore callbacks from the closing connections.
        attempt += 1
        socket?.close(promise: nil)
        socket = nil
        connections.closeAll()
    }

    func ended(_ reason: ClientSessionEnd) {
        guard session != nil else { return }
        session = nil
        liveness = nil
        unconfirmedRevision = nil
        closeConnections()
        approaches.ended(reason)
        let since = upSince
        upSince = nil
        if let since {
            backoff.linkLost(wasSteady: now - since >= Self.steadyMilliseconds)
        } else if approaches.advance(after: reason) {
            logger.debug(
                "trying the Flare server with another transport or revision",
                metadata: ["reason": "\(reason)"]
            )
            roundReason = roundReason ?? reason
            return open()
        }
        let reason = "\(roundReason ?? reason)"
        roundReason = nil
        let actions = pipeline.linkDown(reason: reason)
        if !actions.isEmpty {
            logger.notice("cannot reach the Flare server", metadata: ["reason": "\(reason)"])
        }
        perform(actions)
        let pause = backoff.next(chance: chance())
        retry = loop.scheduleTask(in: .init(pause)) {
            self.onExecutor { $0.open() }
        }
    }

    /// The session is joined; the link is up once the server has answered a liveness request.
    private func joined(_ revision: EngineRevision) {
        unconfirmedRevision = revision
        liveness = endpoint.configuration.livenessCheck(opened: openedAt, now: now)
        send(LivenessCheck.request)
    }

    private func confirmed(_ revision: EngineRevision) {
        approaches.joined()
        roundReason = nil
        upSince = now
        let carrier = session?.isOnWebsocket == true ? "websocket" : "polling"
        logger.notice(
            "connected to the Flare server",
            metadata: [
                "server": "\(endpoint.configuration.authority)", "transport": "\(carrier)",
                "revision": "\(revision.rawValue)",
            ]
        )
        // The original server uses revision 3 and may reorder messages about an object.
        perform(pipeline.linkUp(isOrdered: revision == .four, now: now))
    }

    // MARK: Actions

    func perform(_ actions: [ClientSession.Action]) {
        let attempt = attempt
        for action in actions {
            guard attempt == self.attempt else { return }
            switch action {
            case .openSocket(let query): openSocket(query)
            case .poll(let query): poll(query)
            case .post(let query, let body, let contentType): post(query, body, contentType)
            case .send(let frame): send(frame)
            case .closeSocket:
                socket?.close(promise: nil)
                socket = nil
            case .joined(let revision): joined(revision)
            case .event(let json): received(json)
            case .ended(let reason): ended(reason)
            }
        }
    }

    func perform(_ actions: [RequestPipeline.Action]) {
        for action in actions {
            switch action {
            case .emit(let event): emit(event)
            case .send(let message): send(message)
            case .fetch(let request, let number): fetch(request, number)
            }
        }
    }

    private func send(_ message: FlareMessage) {
        let actions = session?.send(message.frame, now: now) ?? []
        perform(actions)
    }

    private func received(_ json: [UInt8]) {
        meter.consume(bytes: json.count, now: now)
        if let message = FlareMessage(json: json) {
            liveness?.received(now: now)
            if let revision = unconfirmedRevision {
                unconfirmedRevision = nil
                confirmed(revision)
            }
            return perform(pipeline.received(message, now: now))
        }
        invalidMessages += 1
        if invalidMessages == 1 {
            logger.warning(
                "the Flare server sent an invalid message",
                metadata: ["begins": "\(String(decoding: json.prefix(80), as: UTF8.self).shortened)"]
            )
        }
        if invalidMessages > Self.maximumInvalidMessages {
            ended(.malformed("more than \(Self.maximumInvalidMessages) invalid messages"))
        }
    }

    func tick() {
        let actions = session?.tick(now: now) ?? []
        perform(actions)
        perform(pipeline.tick(now: now))
        switch liveness?.tick(now: now) {
        case .sendRequest?: send(LivenessCheck.request)
        case .lost?:
            let first = unconfirmedRevision == nil ? nil : endpoint.configuration.connectMilliseconds
            let patience = liveness?.patience ?? 0
            ended(.timedOut(waitingFor: "answer", milliseconds: min(patience, first ?? patience)))
        case nil: break
        }
        update()
    }
}
