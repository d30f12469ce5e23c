import Flare
import Logging
import NIOCore
import NIOPosix
import SocketIO
import Threading

/// Carries out what ``ClientSession`` and ``RequestPipeline`` say, on one event loop.
///
/// The loop is the actor's executor: what a connection brings is handled before the next is read, in order and
/// without a queue in between.
actor FlareDriver {
    /// How often a server may say what cannot be read before it is left.
    private static let maximumComplaints = 100
    /// How many messages are handed over to a connection that takes none.
    static let maximumUnwritten = 50
    /// How long a link must have held to count as steady, milliseconds.
    private static let steadyMilliseconds = 5000

    let loop: any EventLoop
    let endpoint: Endpoint
    let logger: Logger
    private let emit: @Sendable (FlareEvent) -> Void
    private let chance: @Sendable () -> Double

    var conversation: RequestPipeline
    private var approaches: TransportSequence
    private var backoff: Backoff

    /// Counts the attempts, so that what comes late of an old one is known as such.
    var attempt = 0
    var session: ClientSession?
    var socket: (any Channel)?
    var connections = HTTPConnections()
    var meter: ByteRateLimit
    private var complaints = 0
    var isSlowed = false
    var unwritten = 0
    /// Once we are let in.
    private var liveness: LivenessCheck?
    /// The server's revision, until it has answered the first question.
    private var unproven: EngineRevision?
    private var upSince: Int?
    private var roundReason: ClientSessionEnd?

    private var isStopped = false
    private var timer: (due: Int, task: Scheduled<Void>)?
    private var retry: Scheduled<Void>?
    private var whenIdle: [CheckedContinuation<Void, Never>] = []
    private var goodbye: CheckedContinuation<Void, Never>?

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
        conversation = RequestPipeline(
            confirmationMilliseconds: max(1, Int(min(configuration.confirmationSeconds, 3600) * 1000))
        )
        approaches = TransportSequence(configuration.approaches)
        backoff = Backoff(
            minimumSeconds: configuration.reconnectMinimumSeconds,
            maximumSeconds: configuration.reconnectMaximumSeconds
        )
        meter = configuration.flowMeter(now: 0)
    }

    var now: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

    // MARK: From outside

    func start() { open() }

    func request(_ request: FlareRequest) {
        perform(conversation.requested(request, now: now))
        settle()
    }

    /// Returns when every request so far is answered, or the surrounding task is cancelled.
    func answerAll() async {
        await withTaskCancellationHandler {
            // Asked inside, as others may come between a look before and the continuation.
            await withCheckedContinuation { waiting in
                guard !conversation.isIdle, !Task.isCancelled, !isStopped else { return waiting.resume() }
                whenIdle.append(waiting)
            }
        } onCancel: {
            // Only wakes the one who waits; that it is over is seen there. Unstructured, for a handler cannot wait.
            Task { await resumeIdle() }
        }
    }

    func stop() async {
        isStopped = true
        timer?.task.cancel()
        retry?.cancel()
        if var session {
            self.session = nil
            let actions = session.close()
            // Only what says goodbye; whether it is heard is of no interest for long.
            for case .post(let query, let body, let type) in actions {
                await withCheckedContinuation { continuation in
                    goodbye = continuation
                    loop.scheduleTask(in: .seconds(1)) { self.assumeIsolated { $0.saidGoodbye() } }
                    sayGoodbye(query, body, type)
                }
            }
        }
        hangUp()
        perform(conversation.linkDown(reason: "it is being stopped").filter(\.isReply))
        resumeIdle()
    }

    func saidGoodbye() {
        goodbye?.resume()
        goodbye = nil
    }

    // MARK: Attempts

    private func open() {
        guard !isStopped else { return }
        attempt += 1
        complaints = 0
        isSlowed = false
        unwritten = 0
        meter = endpoint.configuration.flowMeter(now: now)
        let (session, actions) = ClientSession.open(
            approaches.current,
            settings: endpoint.configuration.sessionSettings,
            now: now
        )
        self.session = session
        perform(actions)
        settle()
    }

    func hangUp() {
        // What the closing brings is no news any more.
        attempt += 1
        socket?.close(promise: nil)
        socket = nil
        connections.closeAll()
    }

    func ended(_ reason: ClientSessionEnd) {
        guard session != nil else { return }
        session = nil
        liveness = nil
        unproven = nil
        hangUp()
        approaches.ended(reason)
        let since = upSince
        upSince = nil
        if let since {
            backoff.linkLost(wasSteady: now - since >= Self.steadyMilliseconds)
        } else if approaches.goOn(after: reason) {
            logger.debug("trying the Flare server in another way", metadata: ["reason": "\(reason)"])
            roundReason = roundReason ?? reason
            return open()
        }
        let reason = "\(roundReason ?? reason)"
        roundReason = nil
        let actions = conversation.linkDown(reason: reason)
        if !actions.isEmpty {
            logger.notice("Flare server cannot be reached", metadata: ["reason": "\(reason)"])
        }
        perform(actions)
        let pause = backoff.next(chance: chance())
        retry = loop.scheduleTask(in: .init(pause)) {
            self.assumeIsolated { $0.open() }
        }
    }

    /// We are let in; the link counts as up when the server has answered a question.
    private func joined(_ revision: EngineRevision) {
        unproven = revision
        liveness = endpoint.configuration.livenessCheck(now: now)
        send(LivenessCheck.question)
    }

    private func proved(_ revision: EngineRevision) {
        approaches.joined()
        roundReason = nil
        upSince = now
        let carrier = session?.isOnWebsocket == true ? "websocket" : "polling"
        logger.notice(
            "Flare server reached",
            metadata: [
                "server": "\(endpoint.configuration.authority)", "transport": "\(carrier)",
                "revision": "\(revision.rawValue)",
            ]
        )
        // The original speaks revision 3, and handles messages about one object in any order.
        perform(conversation.linkUp(isOrdered: revision == .four, now: now))
    }

    // MARK: Carrying out

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
            case .event(let json): heard(json)
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

    private func heard(_ json: [UInt8]) {
        meter.take(bytes: json.count, now: now)
        if let message = FlareMessage(json: json) {
            liveness?.heard(now: now)
            if let revision = unproven {
                unproven = nil
                proved(revision)
            }
            return perform(conversation.heard(message, now: now))
        }
        complaints += 1
        if complaints == 1 {
            logger.warning(
                "the Flare server sends what is no message",
                metadata: ["begins": "\(String(decoding: json.prefix(80), as: UTF8.self).shortened)"]
            )
        }
        if complaints > Self.maximumComplaints {
            ended(.malformed("more than \(Self.maximumComplaints) events that are no messages"))
        }
    }

    /// What is to be done when something has happened.
    func settle() {
        if conversation.isIdle { resumeIdle() }
        let due = [session?.deadline, conversation.deadline, liveness?.deadline].compactMap { $0 }.min()
        guard due != timer?.due else { return }
        timer?.task.cancel()
        timer = nil
        guard let due, !isStopped else { return }
        let task = loop.scheduleTask(in: .milliseconds(Int64(max(1, due - now)))) {
            self.assumeIsolated { $0.tick() }
        }
        timer = (due, task)
    }

    private func tick() {
        timer = nil
        let actions = session?.tick(now: now) ?? []
        perform(actions)
        perform(conversation.tick(now: now))
        switch liveness?.tick(now: now) {
        case .ask?: send(LivenessCheck.question)
        case .lost?:
            ended(.timedOut(waitingFor: "answer", milliseconds: liveness?.patience ?? 0))
        case nil: break
        }
        settle()
    }

    private func resumeIdle() {
        let waiting = whenIdle
        whenIdle = []
        for continuation in waiting { continuation.resume() }
    }
}
