import Flare
import HTTPListener
import Logging
import NIOConcurrencyHelpers
import NIOCore
import SocketIO

/// The clients of Socket.IO: sessions on one event loop, together with all their connections.
///
/// What they say goes to the hub through one queue, in order and as many at once as wait; what the hub tells
/// comes back through another. Neither side waits for the other.
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
    private nonisolated let said = NIOLockedValueBox<[SocketInput]>([])
    private nonisolated let (signals, signal) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )

    let settings: SocketSettings
    private let hub: FlareHub
    let logger: Logger
    var seats: [String: SocketConnection] = [:]
    private var seatsOfClients: [Int: SocketConnection] = [:]
    private var clientCount = 0
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

    /// Brings what clients say to the hub, until ``finish()``.
    nonisolated func run() async {
        for await _ in signals {
            let all = said.withLockedValue { waiting in
                defer { waiting = [] }
                return waiting
            }
            var rest = all[...]
            while !rest.isEmpty {
                let batch = rest.prefix(settings.batch)
                rest = rest.dropFirst(batch.count)
                await hub.carryOut(batch)
                push(.handled(batch))
            }
        }
    }

    nonisolated func finish() {
        signal.finish()
    }

    static var now: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
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
        var written: [ObjectIdentifier: WebSocket] = [:]
        for words in all {
            switch words {
            case .event(let frame, let clients):
                let framed = WebSocketMessage.text(frame).framed
                for client in clients {
                    guard let seat = seatsOfClients[client.number] else { continue }
                    if seat.session.isDirect, let socket = seat.socket {
                        socket.write(framed)
                        written[ObjectIdentifier(seat)] = socket
                    } else {
                        carryOut(seat.session.send(frame, now: Self.now), seat)
                    }
                }
            case .handled(let inputs):
                for input in inputs { wasHandled(input) }
            }
        }
        for socket in written.values { socket.flush() }
    }

    private func wasHandled(_ input: SocketInput) {
        guard let seat = seatsOfClients[input.client.number] else { return }
        seat.unhandled -= input.weight
        guard seat.unhandled <= settings.unhandled / 2 else { return }
        if seat.isPaused {
            seat.isPaused = false
            seat.socket?.read(true)
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
            seat.socket?.read(false)
        }
        let isFirst = said.withLockedValue { waiting in
            waiting.append(input)
            return waiting.count == 1
        }
        if isFirst { signal.yield() }
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
