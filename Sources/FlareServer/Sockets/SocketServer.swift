import Flare
import HTTPListener
import Logging
import NIOConcurrencyHelpers
import NIOCore
import SocketIO
import Threading

/// The clients of Socket.IO: sessions on one event loop, together with all their connections.
///
/// What they say goes to the hub through one queue, in order and as many at once as wait: by this thread where the
/// hub is free, else by the hub's own. What the hub tells comes back through another queue. Neither side waits for
/// the other.
actor SocketServer {
    /// What comes from the hub.
    private enum Told: Sendable {
        case event(frame: [UInt8], to: [FlareClientID])
        case handled(ArraySlice<SocketInput>)
    }

    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
    /// The hub's number for us.
    private nonisolated let outlet: NIOLockedValueBox<Int>
    private nonisolated let told = NIOLockedValueBox<[Told]>([])

    let settings: SocketSettings
    private let hub: FlareHub
    let logger: Logger
    var seats: [String: SocketConnection] = [:]
    private var seatsOfClients: [Int: SocketConnection] = [:]
    private var clientCount = 0
    /// What was said and has not gone to the hub.
    private var said: [SocketInput] = []
    /// Whether something is with the hub, or about to go there.
    private var isPassingOn = false
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
        outlet = NIOLockedValueBox(0)
    }

    /// Makes itself known to the hub; before the first client comes.
    nonisolated func attach() async {
        let number = await hub.attach(self)
        outlet.withLockedValue { $0 = number }
    }

    /// Stops receiving notices from the hub.
    nonisolated func detach() async { await hub.detach(outlet.withLockedValue { $0 }) }

    static var now: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
}

// MARK: - To the hub

extension SocketServer {
    /// Passes on what was said, together with what else is said in this turn of the loop.
    private func passOnSoon() {
        guard !isPassingOn, !said.isEmpty else { return }
        isPassingOn = true
        loop.execute { self.assumeIsolated { $0.passOn() } }
    }

    private func passOn() {
        // The loop has others to serve, too: what is more than one batch is left to the hub's own thread.
        let first = said.prefix(settings.batch), rest = said.dropFirst(settings.batch)
        said = []
        let isDone = hub.executor.runIfFree { carryOut(first) } != nil
        guard !isDone || !rest.isEmpty else { return wasPassedOn() }
        hub.executor.perform { [self] in
            if !isDone { carryOut(first) }
            carryOut(rest)
            loop.execute { self.assumeIsolated { $0.wasPassedOn() } }
        }
    }

    /// To be called on the hub's executor.
    private nonisolated func carryOut(_ inputs: ArraySlice<SocketInput>) {
        var rest = inputs
        while !rest.isEmpty {
            let batch = rest.prefix(settings.batch)
            rest = rest.dropFirst(batch.count)
            hub.assumeIsolated { $0.carryOut(batch) }
            // Behind what the batch has caused, so that a slow disk slows down who sends.
            hub.assumeIsolated { hub in hub.whenStored { _ in self.push(.handled(batch)) } }
        }
    }

    private func wasPassedOn() {
        isPassingOn = false
        passOnSoon()
    }
}

// MARK: - From the hub

extension SocketServer: NoticeSink {
    nonisolated func tell(_ announcement: Transaction.Announcement, to clients: [FlareClientID]) {
        guard let event = SocketEvent(announcement) else { return }
        push(.event(frame: event.frame, to: clients))
    }

    nonisolated func answer(_ event: SocketEvent, to client: FlareClientID) {
        push(.event(frame: event.frame, to: [client]))
    }

    private nonisolated func push(_ words: Told) {
        let isFirst = told.withLockedValue { waiting in
            waiting.append(words)
            return waiting.count == 1
        }
        if isFirst { loop.execute { self.assumeIsolated { $0.hear() } } }
    }

    /// Passes on all that has been told meanwhile; each socket is flushed once.
    private func hear() {
        let all = told.withLockedValue { waiting in
            defer { waiting = [] }
            return waiting
        }
        var written: [SocketConnection] = []
        var rest = all[...]
        while let words = rest.popFirst() {
            switch words {
            case .event(let frame, let clients):
                var frames = [frame]
                // What goes to the same clients, one after the other, is written to each at once.
                while case .event(let frame, clients)? = rest.first {
                    frames.append(frame)
                    rest.removeFirst()
                }
                write(frames, to: clients, &written)
            case .handled(let inputs):
                for input in inputs { wasHandled(input) }
            }
        }
        for seat in written {
            seat.isWritten = false
            seat.socket?.flush()
        }
    }

    private func write(_ frames: [[UInt8]], to clients: [FlareClientID], _ written: inout [SocketConnection])
    {
        let joined = WebSocketMessage.framed(texts: frames)
        for client in clients {
            guard let seat = seatsOfClients[client.number] else { continue }
            if seat.session.isDirect, let socket = seat.socket {
                socket.write(joined)
                guard !seat.isWritten else { continue }
                seat.isWritten = true
                written.append(seat)
            } else {
                for frame in frames { carryOut(seat.session.send(frame, now: Self.now), seat) }
            }
        }
    }

    private func wasHandled(_ input: SocketInput) {
        guard let seat = seatsOfClients[input.client.number] else { return }
        seat.unhandled -= input.weight
        guard seat.unhandled <= settings.unhandled / 2 else { return }
        if seat.isPaused {
            seat.isPaused = false
            seat.socket?.setAutoRead(true)
        }
        seat.post?.resume(returning: .ok)
        seat.post = nil
    }
}

// MARK: - Sessions

extension SocketServer {
    /// A session for a new client, in a seat of its own; `nil` when all are taken.
    func seat(
        _ revision: EngineRevision,
        _ transport: ServerSession.Transport,
        form: PollingFormat
    ) -> (SocketConnection, [ServerSession.Action])? {
        guard !isStopping, seats.count < settings.sessions || makeRoom() else { return nil }
        clientCount += 1
        let client = FlareClientID(outlet: outlet.withLockedValue { $0 }, number: clientCount)
        let (session, actions) = ServerSession.open(
            id: Self.makeSessionID(),
            revision: revision,
            transport: transport,
            form: form,
            settings: settings.engine,
            now: Self.now
        )
        let seat = SocketConnection(client: client, session: session, heard: Self.now)
        seats[session.id] = seat
        seatsOfClients[client.number] = seat
        return (seat, actions)
    }

    /// Ends the session that nobody has been connected for the longest, so that nobody takes all seats by opening
    /// sessions alone.
    private func makeRoom() -> Bool {
        let absent = seats.values.filter { $0.socket == nil && $0.polls.isEmpty && $0.post == nil }
        guard let longest = absent.min(by: { $0.heard < $1.heard }) else { return false }
        carryOut(longest.session.end(.timedOut, now: Self.now), longest)
        return true
    }

    private static func makeSessionID() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<20).compactMap { _ in alphabet.randomElement(using: &generator) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Does what a session says.
    func carryOut(_ actions: [ServerSession.Action], _ seat: SocketConnection) {
        var isWritten = false
        for action in actions {
            switch action {
            case .answerPoll(let answer):
                if !seat.polls.isEmpty { seat.polls.removeFirst()(answer) }
            case .answerPost(let answer):
                // Whoever says more than is dealt with is answered when it is.
                if seat.unhandled > settings.unhandled, answer == .ok { break }
                seat.post?.resume(returning: answer)
                seat.post = nil
            case .send(let frame):
                seat.socket?.write(frame.message.framed)
                isWritten = true
            case .closeSocket:
                if isWritten { seat.socket?.flush() }
                seat.socket?.close(isStopping ? .goingAway : .normal)
                seat.socket = nil
            case .joined: submit(.joined(seat.client), seat)
            case .left: submit(.left(seat.client), seat)
            case .event(let json):
                if let message = SocketMessage(json: json) { submit(.said(message, by: seat.client), seat) }
            case .ended(let reason): forget(seat, reason)
            }
        }
        if isWritten { seat.socket?.flush() }
        arm(seat)
    }

    private func submit(_ input: SocketInput, _ seat: SocketConnection) {
        seat.unhandled += input.weight
        if seat.unhandled > settings.unhandled, !seat.isPaused, seat.session.transport == .websocket {
            seat.isPaused = true
            seat.socket?.setAutoRead(false)
        }
        said.append(input)
        passOnSoon()
    }

    private func forget(_ seat: SocketConnection, _ reason: SessionEnd) {
        seats[seat.session.id] = nil
        seatsOfClients[seat.client.number] = nil
        seat.timer?.cancel()
        seat.timer = nil
        for poll in seat.polls { poll(.error(.unknownSession)) }
        seat.post?.resume(returning: .ok)
        seat.polls = []
        seat.post = nil
        logger.debug("socket session ended", metadata: ["reason": "\(reason)"])
    }

    /// Sees to it that the session is asked when something is due.
    private func arm(_ seat: SocketConnection) {
        let deadline = seat.session.deadline
        guard deadline < seat.timerDeadline, seats[seat.session.id] === seat else { return }
        seat.timer?.cancel()
        seat.timerDeadline = deadline
        let client = seat.client
        let delay = TimeAmount.milliseconds(Int64(max(0, deadline - Self.now)))
        seat.timer = loop.scheduleTask(in: delay) { self.assumeIsolated { $0.tick(client) } }
    }

    private func tick(_ client: FlareClientID) {
        guard let seat = seatsOfClients[client.number] else { return }
        seat.timerDeadline = .max
        carryOut(seat.session.tick(now: Self.now), seat)
    }

    /// Says goodbye to all, and lets nobody in any more.
    nonisolated func stop() {
        loop.execute { self.assumeIsolated { $0.endAll() } }
    }

    private func endAll() {
        isStopping = true
        for seat in Array(seats.values) { carryOut(seat.session.end(.serverStops, now: Self.now), seat) }
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
