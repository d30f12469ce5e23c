import HTTPListener
import Logging
import NIOConcurrencyHelpers
import NIOCore
import SocketIO
import Threading

/// The Socket.IO server: all sessions and their connections, on one event loop.
///
/// Messages of clients go to the hub through one queue, in order and in batches: on this thread if the hub is free,
/// otherwise on the hub's. Events of the hub come back through another queue. Neither side waits for the other.
actor SocketServer {
    /// Output of the hub.
    private enum Outbound: Sendable {
        case event(frame: [UInt8], to: [FlareClientID])
        /// For one client. Encoded only when it is written: many answers may have the same long value.
        case answer(SocketEvent, to: FlareClientID)
        case end(FlareClientID)
        case handled(ArraySlice<SocketInput>)
    }

    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
    /// The number of this sink in the hub.
    private nonisolated let sink: NIOLockedValueBox<Int>
    private nonisolated let outbound = NIOLockedValueBox<[Outbound]>([])

    let settings: SocketSettings
    let hub: FlareHub
    let logger: Logger
    var connections: [String: SocketConnection] = [:]
    private var connectionsByClient: [Int: SocketConnection] = [:]
    private var clientCount = 0
    /// The sum of ``SocketConnection/waitingBytes``.
    var waitingBytes = 0
    /// Messages that are not forwarded to the hub yet.
    private var inbound: [SocketInput] = []
    /// Whether messages are being forwarded to the hub, or scheduled to be.
    private var isForwarding = false
    var isStopping = false

    init(
        hub: FlareHub,
        loop: any EventLoop,
        settings: SocketSettings = SocketSettings(),
        logger: Logger
    ) {
        self.hub = hub
        self.loop = loop
        self.settings = settings
        self.logger = logger
        sink = NIOLockedValueBox(0)
    }

    /// Registers with the hub; required before the first client connects.
    nonisolated func attach() async {
        let number = await hub.attach(self)
        sink.withLockedValue { $0 = number }
    }

    /// Unregisters from the hub.
    nonisolated func detach() async { await hub.detach(sink.withLockedValue { $0 }) }

    static var now: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}

// MARK: - To the hub

extension SocketServer {
    /// Schedules forwarding for the end of this turn of the loop, so that messages are batched.
    private func scheduleForwarding() {
        guard !isForwarding, !inbound.isEmpty else { return }
        isForwarding = true
        loop.execute { self.onExecutor { $0.forward() } }
    }

    private func forward() {
        // Further batches run on the hub's thread, so that they do not block this loop.
        let first = inbound.prefix(settings.batchSize), rest = inbound.dropFirst(settings.batchSize)
        inbound = []
        let isDone = hub.executor.runIfFree { handle(first) } != nil
        guard !isDone || !rest.isEmpty else { return forwardingEnded() }
        hub.executor.perform { [self] in
            if !isDone { handle(first) }
            handle(rest)
            loop.execute { self.onExecutor { $0.forwardingEnded() } }
        }
    }

    /// To be called on the hub's executor.
    private nonisolated func handle(_ inputs: ArraySlice<SocketInput>) {
        var rest = inputs
        while !rest.isEmpty {
            let batch = rest.prefix(settings.batchSize)
            rest = rest.dropFirst(batch.count)
            hub.onExecutor { $0.handle(batch) }
            // After the effects of the batch, so that a slow disk slows down the senders.
            hub.onExecutor { hub in hub.whenDurable { _ in self.push(.handled(batch)) } }
        }
    }

    private func forwardingEnded() {
        isForwarding = false
        scheduleForwarding()
    }
}

// MARK: - From the hub

extension SocketServer: NoticeSink {
    nonisolated func deliver(_ announcement: Transaction.Announcement, to clients: [FlareClientID]) {
        guard let event = SocketEvent(announcement) else { return }
        push(.event(frame: event.frame, to: clients))
    }

    nonisolated func send(_ event: SocketEvent, to client: FlareClientID) {
        push(.answer(event, to: client))
    }

    nonisolated func end(_ client: FlareClientID) { push(.end(client)) }

    private nonisolated func push(_ item: Outbound) {
        let isFirst = outbound.withLockedValue { waiting in
            waiting.append(item)
            return waiting.count == 1
        }
        if isFirst { loop.execute { self.onExecutor { $0.writeOutbound() } } }
    }

    /// Writes all queued events; each socket is flushed once.
    private func writeOutbound() {
        let all = outbound.withLockedValue { waiting in
            defer { waiting = [] }
            return waiting
        }
        var written: [SocketConnection] = []
        var rest = all[...]
        while let item = rest.popFirst() {
            switch item {
            case .event(let frame, let clients):
                var (frames, bytes) = ([frame], frame.count)
                // Consecutive events for the same clients are written together.
                while bytes < 1_000_000, case .event(let frame, clients)? = rest.first {
                    frames.append(frame)
                    bytes += frame.count
                    rest.removeFirst()
                }
                write(frames, to: clients, &written)
            case .answer(let event, let client):
                guard connectionsByClient[client.number] != nil else { break }
                write([event.frame], to: [client], &written)
            case .end(let client):
                guard let connection = connectionsByClient[client.number] else { break }
                perform(connection.session.end(.notIdentified, now: Self.now), connection)
            case .handled(let inputs):
                for input in inputs { handled(input) }
            }
        }
        for connection in written {
            connection.needsFlush = false
            connection.socket?.flush()
        }
    }

    private func write(_ frames: [[UInt8]], to clients: [FlareClientID], _ written: inout [SocketConnection])
    {
        let joined = WebSocketMessage.framed(texts: frames)
        for client in clients {
            guard let connection = connectionsByClient[client.number] else { continue }
            if connection.session.isDirect, let socket = connection.socket {
                socket.write(joined)
                count(connection)
                guard !connection.needsFlush else { continue }
                connection.needsFlush = true
                written.append(connection)
            } else {
                for frame in frames { perform(connection.session.send(frame, now: Self.now), connection) }
            }
        }
    }

    private func handled(_ input: SocketInput) {
        guard let connection = connectionsByClient[input.client.number] else { return }
        connection.pendingWeight -= input.weight
        connection.inputsAtHub -= 1
        forwardBacklog(connection)
        guard connection.pendingWeight <= settings.maximumPendingMessages / 2, connection.backlog.isEmpty
        else { return }
        if connection.isPaused {
            connection.isPaused = false
            connection.socket?.setAutoRead(true)
        }
        connection.post?.resume(returning: .ok)
        connection.post = nil
    }
}

// MARK: - Sessions

extension SocketServer {
    /// Opens a session for a new client; `nil` when the limit of sessions is reached.
    func openSession(
        _ revision: EngineRevision,
        _ transport: ServerSession.Transport,
        form: PollingFormat,
        by visitor: FlareVisitor
    ) -> (SocketConnection, [ServerSession.Action])? {
        guard !isStopping, connections.count < settings.maximumSessions || evictSession() else { return nil }
        clientCount += 1
        let client = FlareClientID(sink: sink.withLockedValue { $0 }, number: clientCount)
        let (session, actions) = ServerSession.open(
            id: Self.makeSessionID(),
            revision: revision,
            transport: transport,
            form: form,
            settings: settings.engine,
            now: Self.now
        )
        let connection = SocketConnection(
            client: client,
            visitor: visitor,
            session: session,
            lastReceived: Self.now
        )
        connections[session.id] = connection
        connectionsByClient[client.number] = connection
        return (connection, actions)
    }

    /// Ends the session that has been without a connection for the longest time, so that a client cannot exhaust the
    /// sessions by opening them only.
    private func evictSession() -> Bool {
        let absent = connections.values.filter { $0.socket == nil && $0.polls.isEmpty && $0.post == nil }
        guard let longest = absent.min(by: { $0.lastReceived < $1.lastReceived }) else { return false }
        perform(longest.session.end(.timedOut, now: Self.now), longest)
        return true
    }

    private static func makeSessionID() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<20).compactMap { _ in alphabet.randomElement(using: &generator) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Performs the actions of a session.
    func perform(_ actions: [ServerSession.Action], _ connection: SocketConnection) {
        var needsFlush = false
        for action in actions {
            switch action {
            case .answerPoll(let answer):
                if !connection.polls.isEmpty { connection.polls.removeFirst()(answer) }
            case .answerPost(let answer):
                // Delay the response until the hub has caught up.
                let isLate =
                    connection.pendingWeight > settings.maximumPendingMessages || !connection.backlog.isEmpty
                if isLate, answer == .ok { break }
                connection.post?.resume(returning: answer)
                connection.post = nil
            case .send(let frame):
                connection.socket?.write(frame.message.framed)
                needsFlush = true
            case .closeSocket:
                if needsFlush { connection.socket?.flush() }
                connection.socket?.close(isStopping ? .goingAway : .normal)
                connection.socket = nil
            case .joined: submit(.connected(connection.client, by: connection.visitor), connection)
            case .left: submit(.disconnected(connection.client), connection)
            case .event(let json):
                if let message = SocketMessage(json: json) {
                    submit(.message(message, from: connection.client), connection)
                }
            case .ended(let reason): remove(connection, reason)
            }
        }
        if needsFlush { connection.socket?.flush() }
        count(connection)
        forwardBacklog(connection)
        scheduleTimer(connection)
    }

    private func submit(_ input: SocketInput, _ connection: SocketConnection) {
        connection.pendingWeight += input.weight
        if connection.pendingWeight > settings.maximumPendingMessages, !connection.isPaused,
            connection.session.transport == .websocket
        {
            connection.isPaused = true
            connection.socket?.setAutoRead(false)
        }
        guard connection.backlog.isEmpty, mayForward(connection) else {
            connection.backlog.append(input)
            return
        }
        forward(input, connection)
    }

    private func forward(_ input: SocketInput, _ connection: SocketConnection) {
        connection.inputsAtHub += 1
        inbound.append(input)
        scheduleForwarding()
    }

    private func forwardBacklog(_ connection: SocketConnection) {
        while !connection.backlog.isEmpty, mayForward(connection) {
            forward(connection.backlog.removeFirst(), connection)
        }
    }

    /// Messages that came by polling are handled only while the client fetches the answers.
    private func mayForward(_ connection: SocketConnection) -> Bool {
        connection.session.transport == .websocket || !connection.session.isJoined
            || connection.inputsAtHub < settings.maximumPolledMessages
                && connection.session.queuedBytes < settings.pausingQueuedBytes
    }

    private func remove(_ connection: SocketConnection, _ reason: SessionEnd) {
        connections[connection.session.id] = nil
        waitingBytes -= connection.waitingBytes
        connection.waitingBytes = 0
        connectionsByClient[connection.client.number] = nil
        connection.timer?.cancel()
        connection.timer = nil
        for poll in connection.polls { poll(.error(.unknownSession)) }
        connection.post?.resume(returning: .ok)
        connection.polls = []
        connection.post = nil
        logger.debug("socket session ended", metadata: ["reason": "\(reason)"])
    }

    /// Schedules a timer for the session's next deadline.
    private func scheduleTimer(_ connection: SocketConnection) {
        let deadline = connection.session.deadline
        guard deadline < connection.timerDeadline, connections[connection.session.id] === connection else {
            return
        }
        connection.timer?.cancel()
        connection.timerDeadline = deadline
        let client = connection.client
        let delay = TimeAmount.milliseconds(Int64(max(0, deadline - Self.now)))
        connection.timer = loop.scheduleTask(in: delay) { self.onExecutor { $0.tick(client) } }
    }

    private func tick(_ client: FlareClientID) {
        guard let connection = connectionsByClient[client.number] else { return }
        connection.timerDeadline = .max
        perform(connection.session.tick(now: Self.now), connection)
    }

    /// Ends all sessions and refuses new ones.
    nonisolated func stop() {
        loop.execute { self.onExecutor { $0.endAll() } }
    }

    private func endAll() {
        isStopping = true
        for connection in Array(connections.values) {
            perform(connection.session.end(.serverStops, now: Self.now), connection)
        }
    }
}

extension EngineFrame {
    fileprivate var message: WebSocketMessage {
        switch self {
        case .text(let bytes): .text(bytes)
        case .binary(let bytes): .binary(bytes)
        }
    }
}
